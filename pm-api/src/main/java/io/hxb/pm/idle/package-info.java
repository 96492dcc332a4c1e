/**
 * How a thread of a node or an application waits when it has nothing to do: it spins while that
 * pays and sleeps otherwise. Internal.
 *
 * <p>A virtual machine takes 30 to 45 us to wake a sleeping CPU, while a message is answered in 2
 * us. Only trying shows whether spinning pays: where both ends share a CPU, the end that spins
 * keeps the other from answering. Threads that spin and yield pass a CPU from one to the next in
 * about a microsecond each.
 *
 * <p>Each part was left out to see what it is worth (two CPUs, attached programs, 32 bytes, medians
 * of four rounds or one): without yields a round trip between two hosts takes 67 to 73 us instead
 * of 27 to 38; without rests 44 to 60, and 2,200 instead of 38 beside two threads that compute;
 * without pauses for bulk data a GB costs 2.1 to 2.3 CPU-s instead of 1.6 to 1.7; without pauses
 * for streams of short messages 5.4 million of them arrive in a second instead of 5.8 in Java, for
 * 65 ns of the receiver's CPU each instead of 55, and in C 8.7 instead of 8.3 for the same CPU;
 * without pauses of receivers on one host it is 22 million instead of 33 in C, and 16 instead of 18
 * in Java. A limit of its own while threads that compute share the CPU changed nothing beside
 * rests, and is gone.
 *
 * <p>These were tried or considered and are worse. Comparing how long waits last, as
 * halt-polling.rst does: two ends on one CPU wait for a short time whenever neither spins, so
 * spinning begins again and again. Counting involuntary switches (ru_nivcsw): a thread that takes
 * turns with others that wait counts as having lost its CPU. Refusing to spin where loops outnumber
 * CPUs: other programs count too. SCHED_IDLE for threads that spin: there is no way back without
 * privileges.
 */
package io.hxb.pm.idle;
