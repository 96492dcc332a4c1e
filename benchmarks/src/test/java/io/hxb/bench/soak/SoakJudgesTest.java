package io.hxb.bench.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.bench.harness.Growth;
import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** What a long run is judged by notices what it is there for. */
@Tag("unit")
class SoakJudgesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long STREAM = 4711;

    private final StreamBook book = new StreamBook();

    @Test
    void shouldNoticeAnyByteThatIsChanged() {
        final long address = Arena.ofAuto().allocate(100, 8).address();
        Content.write(address, 77, STREAM, 12, 0);
        assertTrue(Content.isIntact(address, 77));
        assertFalse(Content.isIntact(address, 76));
        for (int i = 0; i < 77; i++) {
            final byte right = Memory.getByte(address + i);
            Memory.putByte(address + i, right ^ 1);
            // How many have failed and the reserved bytes are not part of what is checked.
            final boolean isFree = i >= 16 && i < 24;
            assertEquals(isFree, Content.isIntact(address, 77), "byte " + i);
            Memory.putByte(address + i, right);
        }
    }

    @Test
    void shouldCountMessagesThatComeTwiceOrLate() {
        book.onMessage(STREAM, 0, 0, 0);
        book.onMessage(STREAM, 2, 1, 0);
        book.onMessage(STREAM, 2, 1, 0);
        book.onMessage(STREAM, 1, 1, 0);
        assertEquals(2, book.again());
    }

    @Test
    void shouldDistinguishLostMessagesFromThoseWhoseSenderWasNotified() {
        // given three missing, of which the sender learns of two a little later
        book.onMessage(STREAM, 0, 0, 0);
        book.onMessage(STREAM, 4, 0, 0);
        assertEquals(3, book.unexplained());
        book.onMessage(STREAM, 5, 2, SECOND);
        assertEquals(1, book.unexplained());
        // when
        book.onMessage(STREAM, 6, 2, 20 * SECOND);
        // then
        assertEquals(1, book.lost());
        assertEquals(0, book.unexplained());
    }

    @Test
    void shouldCallGrowthOnlyWhatGoesOn() {
        final Growth leak = new Growth("leak", "MB", 10);
        final Growth warmUp = new Growth("warm-up", "MB", 10);
        final Growth use = new Growth("use", "MB", 10);
        for (int i = 0; i < 100; i++) {
            leak.add(i, i);
            warmUp.add(i, Math.min(i, 50));
            use.add(i, i % 20 * 5);
        }
        assertTrue(leak.isGrowing());
        assertFalse(warmUp.isGrowing());
        assertFalse(use.isGrowing());
        assertEquals(3_600, leak.slopePerHour(), 1);
    }
}
