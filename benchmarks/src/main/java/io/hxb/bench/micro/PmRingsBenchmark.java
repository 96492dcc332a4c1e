package io.hxb.bench.micro;

import io.hxb.pm.shm.CompletionRing;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.ReleaseRing;
import io.hxb.pm.shm.ShortRing;
import io.hxb.pm.shm.SubmissionRing;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * What one message costs in the rings between application and node, both sides together in one
 * thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class PmRingsBenchmark {
    private static final int SEND_SLOTS = 256;
    private static final int DELIVERIES = 4096;

    // Each side lays its own objects over the same memory, as two processes do.
    private SubmissionRing submissions;
    private SubmissionRing taken;
    private ShortRing shorts;
    private ShortRing takenShorts;
    private CompletionRing completions;
    private CompletionRing completed;
    private DeliveryRing deliveries;
    private ReleaseRing releases;
    private ReleaseRing released;
    private long position;

    /** Makes the control memory of one context. */
    @Setup
    public void setUp() {
        final long bytes = ControlMemory.lengthBytes(SEND_SLOTS, DELIVERIES);
        final long address = Arena.global().allocate(bytes, 128).address();
        final ControlMemory node = new ControlMemory(address, SEND_SLOTS, DELIVERIES);
        node.initialize(1);
        final ControlMemory application = new ControlMemory(address, SEND_SLOTS, DELIVERIES);
        submissions = application.submissionRing();
        taken = node.submissionRing();
        shorts = application.shortRing();
        takenShorts = node.shortRing();
        completions = node.completionRing();
        completed = application.completionRing();
        deliveries = node.deliveryRing();
        releases = application.releaseRing();
        released = node.releaseRing();
    }

    /** The application submits, the node takes and completes, the application sees it done. */
    @Benchmark
    public boolean submitAndComplete() {
        submissions.put(3, 32, 1, 1, 0, 0, 0, 0);
        if (taken.take()) {
            completions.put(taken.slot(), 1, 0);
        }
        return completed.take();
    }

    /** The same with a short message in the ring for them. */
    @Benchmark
    public boolean appendShortAndComplete() {
        final long begin = shorts.room(32);
        shorts.append(begin, 3, 32, 0);
        final long end = takenShorts.end();
        if (end != takenShorts.position()) {
            takenShorts.take(end);
            completions.put(3, 1, 0);
        }
        return completed.take();
    }

    /** The node delivers, the application reads the entry and releases, the node takes it back. */
    @Benchmark
    public long deliverAndRelease() {
        final long here = position++;
        deliveries.write(here, 17, 136, 32, 0, 1, 1);
        deliveries.publish(here);
        if (deliveries.isReady(here)) {
            releases.put(DeliveryRing.bufferId(deliveries.entry(here)));
        }
        return released.take();
    }
}
