/**
 * Byte streams between processes of a cluster: sockets in the manner of java.nio.channels, over
 * messages of one PM context a process. Many streams share the context; each has a window of its
 * own, so that a reader that does not read stops its writer and nobody else.
 */
package io.hxb.pm.stream;
