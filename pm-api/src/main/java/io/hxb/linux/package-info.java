/**
 * The system calls by which applications and their node share memory, wake each other and place
 * their threads, bound once through java.lang.foreign, and access to native memory. Internal:
 * applications use {@code io.hxb.pm}.
 *
 * <p>Applications map memory, receive descriptors and sleep until they are woken, so this package
 * is in the module of applications. They would otherwise carry the router and Netty. System calls
 * that only nodes and tools make are in {@code io.hxb.os}.
 *
 * <p>Files of nodes are named by descriptor, below folders that other users cannot change: a path
 * can be exchanged between two calls. With such a race, an ordinary user once had a node of root
 * change the mode of a file of root. Trusted owners are root, the process's own user, the caller of
 * sudo, and the own group. A folder such as /tmp itself is refused, a folder of one's own in it is
 * not. {@code openat2} with RESOLVE_NO_SYMLINKS would refuse /var/run, and O_TMPFILE does not exist
 * on all file systems.
 */
package io.hxb.linux;
