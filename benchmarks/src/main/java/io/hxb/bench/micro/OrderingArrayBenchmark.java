package io.hxb.bench.micro;

import io.hxb.flow.order.OrderingArray;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/** What putting a frame into its source's ordering array and taking it out costs. One thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class OrderingArrayBenchmark {
    private static final int BATCH = 64;

    private final OrderingArray<Object> array = new OrderingArray<>(256, 0);
    private final Object flow = new Object();
    private final Counting sink = new Counting();
    private int sequence;

    private static final class Counting implements OrderingArray.Sink<Object> {
        private long delivered;

        @Override
        public boolean deliver(final Object flow, final int bufferId) {
            delivered += bufferId;
            return true;
        }

        @Override
        public void discard(final Object flow, final int bufferId) {
            throw new IllegalStateException("discarded: " + bufferId);
        }

        @Override
        public void onEnded(final Object flow) {
            throw new IllegalStateException("ended");
        }
    }

    /** Frames that arrive in order, each drained at once. */
    @Benchmark
    public long inOrder() {
        array.store(sequence, 5);
        sequence++;
        array.drain(sink, flow);
        return sink.delivered;
    }

    /** A batch of 64 in which neighbours are swapped, as two links do. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long swappedInPairs() {
        for (int i = 0; i < BATCH; i++) {
            array.store(sequence + (i ^ 1), 5);
            array.drain(sink, flow);
        }
        sequence += BATCH;
        return sink.delivered;
    }
}
