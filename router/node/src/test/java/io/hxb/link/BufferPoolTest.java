package io.hxb.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;

class BufferPoolTest {
    private static final long BASE = 1 << 20;

    @Test
    @Tag("unit")
    void shouldHandOutEveryBufferOnceThenNone() {
        // given
        final BufferPool pool = new BufferPool(BASE, 100, 128);
        final BufferPool.Share share = pool.newShare();
        final Set<Integer> ids = new HashSet<>();
        // when
        for (int i = 0; i < 100; i++) {
            ids.add(share.acquire());
        }
        // then
        assertEquals(100, ids.size());
        assertEquals(BufferPool.NONE, share.acquire());
        assertEquals(100, pool.outstanding());
        assertEquals(BASE + 99 * 128 + BufferPool.HEADER_OFFSET_BYTES, pool.headerAddress(99));
        assertEquals(64, pool.frameBytes());
    }

    @Test
    @Tag("unit")
    void shouldGiveBuffersOfOneShareToAnotherWhenGivenBack() {
        // given
        final BufferPool pool = new BufferPool(BASE, 8, 128);
        final BufferPool.Share first = pool.newShare();
        final BufferPool.Share second = pool.newShare();
        final int id = first.acquire();
        assertEquals(BufferPool.NONE, second.acquire());
        // when
        pool.release(id);
        // then
        assertEquals(id, second.acquire());
        first.close();
        assertNotEquals(BufferPool.NONE, second.acquire());
    }

    @Test
    @Tag("unit")
    void shouldFindBuffersGivenBackTwiceOrNeverTaken() {
        // given
        final BufferPool pool = new BufferPool(BASE, 4, 128);
        final BufferPool.Share share = pool.newShare();
        final int id = share.acquire();
        share.release(id);
        // when / then
        assertThrows(IllegalStateException.class, () -> share.release(id));
        assertThrows(IllegalStateException.class, () -> pool.release(id));
        assertThrows(IllegalStateException.class, () -> pool.release(-1));
        assertThrows(IllegalStateException.class, () -> pool.release(4));
        assertEquals(0, pool.outstanding());
    }

    @Test
    @Tag("unit")
    void shouldNotUseTheCommonStackForBuffersThatStayWithOneLoop() {
        // given a loop that has received a batch
        final BufferPool pool = new BufferPool(BASE, 256, 128);
        final BufferPool.Share share = pool.newShare();
        final int[] ids = new int[64];
        Arrays.setAll(ids, i -> share.acquire());
        final int before = pool.exchanges();
        assertEquals(2, before, "a batch each");
        // when
        for (int turn = 0; turn < 1_000; turn++) {
            Arrays.stream(ids).forEach(share::release);
            Arrays.setAll(ids, i -> share.acquire());
        }
        // then
        assertEquals(before, pool.exchanges());
        assertEquals(64, pool.outstanding());
    }

    @Test
    @Tag("unit")
    void shouldExchangeInBatchesBetweenALoopThatReceivesAndOneThatReleases() {
        // given
        final BufferPool pool = new BufferPool(BASE, 512, 128);
        final BufferPool.Share receiver = pool.newShare();
        final BufferPool.Share releaser = pool.newShare();
        // when
        for (int i = 0; i < 32_000; i++) {
            releaser.release(receiver.acquire());
        }
        // then
        assertTrue(pool.exchanges() <= 1_000 + 500, "exchanges: " + pool.exchanges());
        receiver.close();
        releaser.close();
        assertAllThere(pool);
    }

    @Test
    @Tag("unit")
    void shouldRefuseSizesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE + 1, 4, 128));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, 0, 128));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, 1, 64));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, 1, 100));
    }

    @Test
    @Tag("property")
    void shouldKeepItsBooksOverAnyWayOfTakingAndGivingBack() {
        qt().withExamples(200)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final Random random = new Random(seed);
                            final int size = 1 + random.nextInt(600);
                            final BufferPool pool = new BufferPool(BASE, size, 128);
                            final List<BufferPool.Share> shares = new ArrayList<>();
                            for (int i = 0; i <= random.nextInt(4); i++) {
                                shares.add(pool.newShare());
                            }
                            final List<Integer> held = new ArrayList<>();
                            // when
                            for (int step = 0; step < 3_000; step++) {
                                step(random, pool, shares, held, step / 700 % 2 == 0);
                            }
                            // then
                            assertEquals(held.size(), new HashSet<>(held).size());
                            assertEquals(held.size(), pool.outstanding());
                            held.forEach(pool::release);
                            shares.forEach(BufferPool.Share::close);
                            assertAllThere(pool);
                        });
    }

    private static void step(
            final Random random,
            final BufferPool pool,
            final List<BufferPool.Share> shares,
            final List<Integer> held,
            final boolean isFilling) {
        final BufferPool.Share share = shares.get(random.nextInt(shares.size()));
        if (random.nextInt(10) < (isFilling ? 7 : 3)) {
            final int id = share.acquire();
            if (id != BufferPool.NONE) {
                held.add(id);
            }
        } else if (!held.isEmpty()) {
            final FrameOwner owner = random.nextInt(4) == 0 ? pool : share;
            final int index = random.nextInt(held.size());
            owner.release(held.get(index));
            held.set(index, held.getLast());
            held.removeLast();
        }
    }

    private static void assertAllThere(final BufferPool pool) {
        final BufferPool.Share share = pool.newShare();
        final Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < pool.bufferCount(); i++) {
            final int id = share.acquire();
            assertTrue(id >= 0 && ids.add(id), "lost or doubled: " + id);
        }
        assertEquals(BufferPool.NONE, share.acquire());
    }

    // A small pool, so that the same few buffers go and come all the time: a stack without a tag
    // would hand one out twice (the ABA problem).
    @Test
    @Tag("concurrency")
    void shouldNeverHandOutABufferTwiceWhileThreadsTakeAndGiveBack()
            throws InterruptedException, ExecutionException {
        // given
        final int threads = 4;
        final BufferPool pool = new BufferPool(BASE, 150, 128);
        final AtomicIntegerArray owners = new AtomicIntegerArray(150);
        final List<Future<Long>> results = new ArrayList<>();
        // when
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 1; thread <= threads; thread++) {
                final int me = thread;
                results.add(executor.submit(() -> takeAndGiveBack(pool, owners, me)));
            }
        }
        // then
        long taken = 0;
        for (final Future<Long> result : results) {
            taken += result.get();
        }
        assertTrue(taken > 100_000, "only " + taken + " taken");
        assertEquals(0, pool.outstanding());
        assertAllThere(pool);
    }

    private static long takeAndGiveBack(
            final BufferPool pool, final AtomicIntegerArray owners, final int me) {
        final Random random = new Random(me);
        final BufferPool.Share share = pool.newShare();
        final int[] held = new int[64];
        int count = 0;
        long taken = 0;
        for (int step = 0; step < 400_000; step++) {
            if (count < held.length && random.nextInt(100) < (step / 100 % 2 == 0 ? 80 : 20)) {
                final int id = share.acquire();
                if (id != BufferPool.NONE) {
                    if (!owners.compareAndSet(id, 0, me)) {
                        throw new IllegalStateException("handed out twice: " + id);
                    }
                    held[count++] = id;
                    taken++;
                }
            } else if (count > 0) {
                final int id = held[--count];
                owners.set(id, 0);
                final FrameOwner owner = random.nextBoolean() ? pool : share;
                owner.release(id);
            }
        }
        while (count > 0) {
            owners.set(held[--count], 0);
            share.release(held[count]);
        }
        share.close();
        return taken;
    }
}
