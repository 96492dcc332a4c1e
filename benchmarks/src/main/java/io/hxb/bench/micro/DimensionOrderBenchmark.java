package io.hxb.bench.micro;

import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

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

import java.util.concurrent.TimeUnit;

/** What the next hop of one frame costs, over all pairs of a 16x16x10 machine. One thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class DimensionOrderBenchmark {
    private static final int MASK = 4095;
    private final long[] here = new long[MASK + 1];
    private final long[] destination = new long[MASK + 1];
    private int index;

    /** Draws the pairs, the same in every run. */
    @Setup
    public void setUp() {
        final Shape shape = Shape.of(16, 16, 10);
        final java.util.Random random = new java.util.Random(1);
        for (int i = 0; i <= MASK; i++) {
            here[i] = shape.coordinates(random.nextInt(shape.nodeCount()));
            destination[i] = shape.coordinates(random.nextInt(shape.nodeCount()));
        }
    }

    @Benchmark
    public int nextDimension() {
        final int i = index++ & MASK;
        return DimensionOrder.nextDimension(DimensionOrder.DEFAULT, here[i], destination[i]);
    }
}
