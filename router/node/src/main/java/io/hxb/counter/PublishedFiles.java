package io.hxb.counter;

import io.hxb.recorder.FlightRecorder;

/**
 * What is written for one node: its counters and its events. Any thread may call it.
 *
 * @param counters the file with the counters.
 * @param recorder the flight recorder.
 */
record PublishedFiles(CounterFile counters, FlightRecorder recorder) implements PublishedCopy {
    /** Writes what changes often. */
    @Override
    public void publish() {
        counters.publish();
        recorder.publish();
    }

    /** Writes everything, whatever has been done to the files. */
    @Override
    public void publishAll() {
        counters.publishAll();
        recorder.publishAll();
    }
}
