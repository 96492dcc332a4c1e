/**
 * Links over UDP sockets: the same frames as datagrams between addresses from the configuration.
 * Needs no privilege.
 *
 * <p>A classic BPF program on each socket accepts datagrams of neighbours only. It is attached
 * before {@code bind}, written from the addresses of the cluster file, and replaced when a name
 * gets another address. Comparing addresses after {@code recvmmsg} is too late: a stranger's
 * datagram has then taken room in the socket, a copy and a wake-up. A connected socket for each
 * neighbour would end batches across neighbours, and eBPF needs a privilege. Datagrams of strangers
 * count as kernel drops.
 */
package io.hxb.link.udp;
