/**
 * The system calls that only a node and its tools make: sockets, timers, network namespaces, and
 * what the kernel reports of processes and of this machine. What applications need too is in {@code
 * io.hxb.linux}.
 */
package io.hxb.os;
