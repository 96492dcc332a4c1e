package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

@Tag("unit")
class TogetherTest {
    private static final long LONG_NS = 60_000_000_000L;

    private final CountDownLatch never = new CountDownLatch(1);
    private final AtomicInteger interrupted = new AtomicInteger();

    private void waitForever() {
        try {
            never.await();
        } catch (final InterruptedException e) {
            interrupted.incrementAndGet();
        }
    }

    @Test
    void shouldReturnWhenAllHaveEnded() {
        final AtomicInteger ran = new AtomicInteger();
        Together.run(ran::incrementAndGet, ran::incrementAndGet, ran::incrementAndGet);
        assertEquals(3, ran.get());
    }

    @Test
    void shouldInterruptTheOthersWhenOneFails() {
        // given
        final IllegalStateException failure = new IllegalStateException("on purpose");
        // when
        final AssertionError error =
                assertThrows(
                        AssertionError.class,
                        () ->
                                Together.run(
                                        LONG_NS,
                                        this::waitForever,
                                        () -> {
                                            throw failure;
                                        },
                                        this::waitForever));
        // then
        assertSame(failure, error.getCause());
        assertEquals(2, interrupted.get());
    }

    @Test
    void shouldShowWhereThreadsStandThatDoNotEnd() {
        final AssertionError error =
                assertThrows(
                        AssertionError.class, () -> Together.run(20_000_000L, this::waitForever));

        assertTrue(error.getMessage().contains("TogetherTest.waitForever"), error::getMessage);
    }
}
