package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real words in memory that processes share. */
@Tag("concurrency")
class FutexWordsTest {
    private static final long LONG_NS = 20_000_000_000L;
    private static final long SHORT_NS = 1_000_000;

    private FutexWords words;
    private SharedMemory memory;

    @BeforeEach
    void setUp() throws Exception {
        words = new FutexWords();
        memory = SharedMemory.create("hxb-words", 4096);
    }

    @AfterEach
    void tearDown() {
        memory.close();
        words.close();
    }

    private long word(final int index) {
        return memory.address() + index * 128L;
    }

    private void addAll(final int count) {
        for (int i = 0; i < count; i++) {
            words.add(word(i), 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20})
    void shouldReportThatTheTimeHasPassed(final int count) {
        addAll(count);
        assertFalse(words.await(SHORT_NS));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20})
    void shouldNotSleepWhenAWordHasChangedBefore(final int count) {
        // given
        addAll(count);
        Memory.putIntVolatile(word(count - 1), -5);
        // when, then
        assertTrue(words.await(LONG_NS));
        words.clear();
        words.add(word(count - 1), -5);
        assertFalse(words.await(SHORT_NS));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20})
    void shouldBeWokenByAnyWord(final int count) throws Exception {
        // given
        addAll(count);
        final long last = word(count - 1);
        final Thread waker =
                new Thread(
                        () -> {
                            Memory.putIntVolatile(last, 1);
                            Futex.wake(last);
                        });
        // when
        waker.start();
        // then: before it sleeps or while it does
        assertTrue(words.await(LONG_NS));
        waker.join();
        assertEquals(1, Memory.getInt(last));
    }

    @Test
    void shouldBeWokenTimeAndAgain() throws Exception {
        // given two threads that take turns
        final int turns = 2_000;
        final Thread other =
                new Thread(
                        () -> {
                            try (FutexWords own = new FutexWords()) {
                                own.add(word(0), 0);
                                takeTurns(own, word(0), word(1), turns);
                            }
                        });
        other.start();
        words.add(word(1), 0);
        words.add(word(2), 0);
        // when
        for (int i = 0; i < turns; i++) {
            Memory.putIntVolatile(word(0), 1);
            Futex.wake(word(0));
            awaitTurn(words, word(1));
        }
        // then
        other.join();
        assertEquals(0, Memory.getInt(word(0)) + Memory.getInt(word(1)));
    }

    private static void takeTurns(
            final FutexWords own, final long mine, final long theirs, final int turns) {
        for (int i = 0; i < turns; i++) {
            awaitTurn(own, mine);
            Memory.putIntVolatile(theirs, 1);
            Futex.wake(theirs);
        }
    }

    private static void awaitTurn(final FutexWords own, final long mine) {
        while (Memory.getInt(mine) == 0) {
            assertTrue(own.await(LONG_NS));
        }
        Memory.putIntVolatile(mine, 0);
    }

    @Test
    void shouldTakeNoMoreThanTheKernelDoes() {
        addAll(20);
        for (int i = 20; i < FutexWords.MAX_COUNT; i++) {
            words.add(word(0), 0);
        }
        assertFalse(words.await(SHORT_NS));
        assertThrows(IllegalStateException.class, () -> words.add(word(0), 0));
    }

    @Test
    void shouldBeThereOnThisKernel() {
        assertTrue(FutexWords.areSupported());
    }
}
