/**
 * A running node: opens what its configuration names (links, forwarding, flows, contexts,
 * counters), deals it to loops, looks after it and closes it again.
 *
 * <p>A node gives up its privileges after its start, thread by thread: capabilities belong to
 * threads. Loops keep those that NICs which come back need: CAP_NET_RAW with raw links,
 * CAP_NET_ADMIN and CAP_BPF while the kernel relays, CAP_SYS_ADMIN with {@code netns}. Other
 * threads of the node keep none. Threads of the JVM keep what the process had, because they cannot
 * be made to give it up.
 *
 * <p>A loop that has nothing to do while bulk data flows sleeps for 0.1 to 0.5 ms, so that batches
 * get longer. Whether data is bulk is tried: a first pause of 0.1 ms that six frames follow
 * doubles. One that fewer follow ends the pauses for 1 ms, then 2, up to 128 ms. The rate of frames
 * is no sign of bulk: pauses would slow down an exchange of 8 KB messages ten times. A lone message
 * ends pauses for 10 ms.
 *
 * <p>A loop that applications wake 16 times within a millisecond sleeps for 50 us, in which nobody
 * wakes it. It goes on as long as each pause brings 48 entries. Where loop and program share a CPU,
 * each message would otherwise wake the loop, which sends one frame for it. Loops that may spin
 * without limit never pause.
 */
package io.hxb.node;
