package io.hxb.flow.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.Together;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads look flows up while others put them in and take them out, so that the table is rebuilt
 * many times. Allowed: a flow that stays is always found, one that was never put in never; a flow
 * is found after its put has returned and not after its removal has; never more flows than the
 * limit.
 */
@Tag("concurrency")
class FlowMapConcurrencyTest {
    private static final int INTERLEAVINGS = Integer.getInteger("hxb.test.interleavings", 100);

    @Test
    void shouldFindAFlowThatStaysWhileItsNeighboursComeAndGo() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final FlowMap<TestFlow> map = new FlowMap<>(8);
                    final TestFlow stays = new TestFlow(0);
                    final TestFlow goes = new TestFlow(1);
                    map.put(goes);
                    map.put(stays);
                    Together.run(
                            () -> {
                                map.remove(goes);
                                map.put(new TestFlow(2));
                            },
                            () -> {
                                check(map.get(stays.key) == stays);
                                final TestFlow seen = map.get(goes.key);
                                check(seen == null || seen == goes);
                            });
                    check(map.get(goes.key) == null && map.size() == 2);
                });
    }

    @Test
    void shouldNotTakeOutTheFlowThatReplacedAnother() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final FlowMap<TestFlow> map = new FlowMap<>(8);
                    final TestFlow old = new TestFlow(0);
                    final TestFlow fresh = new TestFlow(0);
                    map.put(old);
                    Together.run(() -> map.remove(old), () -> map.put(fresh));
                    check(map.get(fresh.key) == fresh && map.size() == 1);
                });
    }

    @Test
    void shouldKeepTheLimitWhenSeveralPutAtOnce() {
        // given
        final int limit = 100;
        final FlowMap<TestFlow> map = new FlowMap<>(limit);
        final AtomicInteger taken = new AtomicInteger();
        final Runnable[] tasks = new Runnable[4];
        for (int thread = 0; thread < tasks.length; thread++) {
            final int first = thread * limit;
            tasks[thread] =
                    () -> {
                        for (int i = 0; i < limit; i++) {
                            taken.addAndGet(map.put(new TestFlow(first + i)) ? 1 : 0);
                        }
                    };
        }
        // when
        Together.run(tasks);
        // then
        assertEquals(limit, taken.get());
        assertEquals(limit, map.size());
    }

    @Test
    void shouldServeReadersThroughManyRebuilds() {
        // given flows that stay, and room for others that come and go
        final int stayCount = 40;
        final int rounds = 60_000;
        final FlowMap<TestFlow> map = new FlowMap<>(1_000);
        final TestFlow[] staying = new TestFlow[stayCount];
        for (int i = 0; i < stayCount; i++) {
            staying[i] = new TestFlow(i);
            assertTrue(map.put(staying[i]));
        }
        final AtomicInteger writers = new AtomicInteger(2);
        final Runnable[] tasks = new Runnable[4];
        for (int thread = 0; thread < 2; thread++) {
            final int number = thread;
            tasks[thread] =
                    () -> {
                        churn(map, 1_000 * (number + 1), rounds, number);
                        writers.decrementAndGet();
                    };
            tasks[2 + thread] =
                    () -> {
                        while (writers.get() > 0) {
                            for (final TestFlow flow : staying) {
                                assertSame(flow, map.get(flow.key));
                            }
                            assertNull(map.get(TestFlow.key(-1)));
                        }
                    };
        }
        // when, then
        Together.run(tasks);
        assertEquals(stayCount, map.size());
    }

    private static void churn(
            final FlowMap<TestFlow> map, final int firstNode, final int rounds, final int seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final TestFlow[] own = new TestFlow[200];
        for (int i = 0; i < rounds; i++) {
            final int index = random.nextInt(own.length);
            if (own[index] == null) {
                own[index] = new TestFlow(firstNode + index);
                assertTrue(map.put(own[index]));
                assertSame(own[index], map.get(own[index].key));
            } else {
                map.remove(own[index]);
                assertNull(map.get(own[index].key));
                own[index] = null;
            }
        }
        for (final TestFlow flow : own) {
            if (flow != null) {
                map.remove(flow);
            }
        }
    }

    private static void check(final boolean holds) {
        if (!holds) {
            throw new AssertionError("the map is wrong");
        }
    }

    /** A flow to the node of a number. */
    private static final class TestFlow extends FlowMap.Entry {
        private TestFlow(final int node) {
            super(key(node));
        }

        private static long key(final int node) {
            return 1L << 36 | (long) node << 16 | 1;
        }
    }
}
