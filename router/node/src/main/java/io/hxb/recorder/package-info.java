/**
 * The flight recorder: what has happened to a node lately, in a file that tools read while the node
 * runs, hangs or is dead.
 *
 * <p>An event is a constant of {@link io.hxb.recorder.RecordedEvent} and up to four numbers. Each
 * loop records into an {@link io.hxb.recorder.RecorderRing} of its own in private memory, with
 * plain stores; threads that belong to no loop share one that is locked. The thread that publishes
 * the counters moves them to the {@link io.hxb.recorder.FlightRecorder} every 25 ms, in order of
 * time, and from there to the file, which is written and never mapped, as that of the counters. A
 * node that is killed loses the last 25 ms.
 *
 * <p>The file has a fixed number of entries, of which new ones replace the oldest. What others can
 * cause must not replace everything else: of each kind of event, a loop records a number at once,
 * and then one every 10 s. Those left out are counted, and the count is recorded. A node that
 * starts again continues the file of its last run.
 */
package io.hxb.recorder;
