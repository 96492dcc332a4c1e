package io.hxb.bench.micro;

import io.hxb.linux.Memory;
import io.hxb.pm.shm.ShortRing;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * What a message costs both ends of a flow together: sequence, frame, ordering array, delivery,
 * acknowledgement; a copy stands in for the links, no system call is made. One thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class FlowLoopBenchmark {
    private static final int BATCH = 64;
    private static final long TURN_NS = 10_000;

    @Param({"4", "1024", "8192"})
    private int size;

    private FlowEnd sender;
    private FlowEnd receiver;
    private long payload;
    private long records;
    private long nowNs = 1;
    private long submitted;

    /** Makes two ends; the first batch opens the flow. */
    @Setup
    public void setUp() {
        sender = new FlowEnd(0);
        receiver = new FlowEnd(1);
        FlowEnd.join(sender, receiver);
        payload = Arena.global().allocate(size, 64).address();
        final int recordBytes = ShortRing.recordBytes(shortBytes());
        records = Arena.global().allocate((long) BATCH * recordBytes, 64).address();
        for (int slot = 0; slot < BATCH; slot++) {
            Memory.putInt(records + (long) slot * recordBytes, slot << 16 | shortBytes());
        }
        batch();
        single();
    }

    /** 64 messages handed over together; small ones share frames. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long batch() {
        for (int i = 0; i < BATCH; i++) {
            sender.submit(i, payload, size);
        }
        submitted += BATCH;
        return finish();
    }

    /** 64 messages handed over as a run, of {@code size} or 256 bytes. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long run() {
        sender.stage(records, BATCH * ShortRing.recordBytes(shortBytes()), BATCH);
        submitted += BATCH;
        return finish();
    }

    private int shortBytes() {
        return Math.min(size, ShortRing.MAX_LENGTH);
    }

    /** One message, with a frame and an acknowledgement of its own. */
    @Benchmark
    public long single() {
        sender.submit(0, payload, size);
        submitted++;
        return finish();
    }

    private long finish() {
        for (int turns = 0; sender.done() < submitted; turns++) {
            nowNs += TURN_NS;
            sender.turn(nowNs);
            receiver.turn(nowNs);
            if (turns > 1_000_000) {
                throw new IllegalStateException("the flow does not go on");
            }
        }
        return receiver.received();
    }
}
