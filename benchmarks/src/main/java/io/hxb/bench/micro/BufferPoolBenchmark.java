package io.hxb.bench.micro;

import io.hxb.link.BufferPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/** What taking a receive buffer and giving it back costs. One thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class BufferPoolBenchmark {
    private static final int BUFFERS = 4096;
    private static final int BUFFER_BYTES = 12 * 1024;
    private static final int HELD = 64;

    private final int[] held = new int[HELD];
    private BufferPool pool;
    private BufferPool.Share share;

    /** Makes a pool of the default size. */
    @Setup
    public void setUp() {
        final long bytes = (long) BUFFERS * BUFFER_BYTES;
        pool = new BufferPool(Arena.global().allocate(bytes, 64).address(), BUFFERS, BUFFER_BYTES);
        share = pool.newShare();
    }

    /** The usual case: the same loop takes and gives back. */
    @Benchmark
    public int shareAcquireRelease() {
        final int id = share.acquire();
        share.release(id);
        return id;
    }

    /** A batch of 64 that another thread gives back to the common stack, one by one. */
    @Benchmark
    @OperationsPerInvocation(HELD)
    public int shareAcquirePoolRelease() {
        for (int i = 0; i < HELD; i++) {
            held[i] = share.acquire();
        }
        for (int i = 0; i < HELD; i++) {
            pool.release(held[i]);
        }
        return held[0];
    }
}
