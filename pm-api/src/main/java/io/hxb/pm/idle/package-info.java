/**
 * How a thread of a node or an application waits when it has nothing to do: it spins while that
 * pays and sleeps otherwise. Internal.
 *
 * <p>A virtual machine takes 30 to 45 us to wake a sleeping CPU, while a message is answered in 2
 * us. Only trying shows whether spinning pays: where both ends share a CPU, the end that spins
 * keeps the other from answering. Threads that spin and yield pass a CPU from one to the next in
 * about a microsecond each.
 *
 * <p>These were tried or considered and are worse. Comparing how long waits last, as
 * halt-polling.rst does: two ends on one CPU wait for a short time whenever neither spins, so
 * spinning begins again and again. Counting involuntary switches (ru_nivcsw): a thread that takes
 * turns with others that wait counts as having lost its CPU. Refusing to spin where loops outnumber
 * CPUs: other programs count too. SCHED_IDLE for threads that spin: there is no way back without
 * privileges.
 */
package io.hxb.pm.idle;
