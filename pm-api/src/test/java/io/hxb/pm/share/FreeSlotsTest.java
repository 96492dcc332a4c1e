package io.hxb.pm.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.attach.ContextRequest;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

@Tag("unit")
class FreeSlotsTest {
    private static final int GROUP = 8;

    @Test
    void shouldTakeTheSlotThatWasReleasedLast() {
        // given
        final FreeSlots slots = new FreeSlots(256, 1);
        final int first = slots.take();
        final int second = slots.take();
        // when
        slots.release(first);
        // then
        assertEquals(0, first);
        assertEquals(1, second);
        assertEquals(first, slots.take());
    }

    @Test
    void shouldLeaveGroupsToLongMessagesWhileThereAreOtherSlots() {
        // given
        final FreeSlots slots = new FreeSlots(256, GROUP);
        // when
        for (int i = 0; i < 128; i++) {
            assertTrue(slots.take() < 128);
        }
        // then
        for (int group = 0; group < 16; group++) {
            assertEquals(248 - GROUP * group, slots.takeGroup());
        }
        assertEquals(FreeSlots.NONE, slots.takeGroup());
        assertTrue(slots.isEmpty());
    }

    @Test
    void shouldTakeSlotsOfTheUpperHalfWhenTheOthersAreTaken() {
        // given
        final FreeSlots slots = new FreeSlots(60, GROUP);
        final BitSet taken = new BitSet();
        // when
        while (!slots.isEmpty()) {
            taken.set(slots.take());
        }
        // then
        assertEquals(60, taken.cardinality());
        assertEquals(FreeSlots.NONE, slots.takeGroup());
    }

    @Test
    void shouldFindAGroupAgainOnceAllOfItsSlotsAreReleased() {
        // given
        final FreeSlots slots = new FreeSlots(64, GROUP);
        for (int i = 0; i < 64; i++) {
            assertTrue(slots.take() < 64);
        }
        // when
        for (int slot = 24; slot < 31; slot++) {
            slots.release(slot);
        }
        // then
        assertEquals(FreeSlots.NONE, slots.takeGroup());
        slots.release(31);
        assertEquals(24, slots.takeGroup());
        assertTrue(slots.isEmpty());
    }

    @Test
    void shouldNeverHaveASlotTwice() {
        final Random random = new Random(7);
        for (final int count : new int[] {8, 31, 64, 257}) {
            final FreeSlots slots = new FreeSlots(count, GROUP);
            final BitSet taken = new BitSet();
            final List<int[]> held = new ArrayList<>();
            for (int step = 0; step < 20_000; step++) {
                final boolean isLong = random.nextInt(3) == 0;
                if (random.nextBoolean() && !slots.isEmpty()) {
                    final int first = isLong ? slots.takeGroup() : slots.take();
                    final int length = isLong ? GROUP : 1;
                    if (first == FreeSlots.NONE) {
                        continue;
                    }
                    assertTrue(first >= 0 && first + length <= count);
                    assertEquals(0, first % length);
                    assertFalse(taken.get(first, first + length).length() > 0);
                    taken.set(first, first + length);
                    held.add(new int[] {first, length});
                } else if (!held.isEmpty()) {
                    final int[] entry = held.remove(random.nextInt(held.size()));
                    taken.clear(entry[0], entry[0] + entry[1]);
                    if (entry[1] == 1) {
                        slots.release(entry[0]);
                    } else {
                        slots.releaseGroup(entry[0]);
                    }
                }
            }
        }
    }

    @Test
    void shouldNotMakeTheMemoryOfAContextGrowWithTheLongestMessage() {
        // given
        final ContextRequest few = new ContextRequest(31, 0, 64, 0);
        final ContextRequest many = new ContextRequest(256, 0, 64, 0);
        // then
        assertEquals(65_536, few.resolved(65_536, 64).sendBufferBytes());
        assertEquals(9_216, many.resolved(65_536, 64).sendBufferBytes());
        assertEquals(8_960, many.resolved(8_928, 64).sendBufferBytes());
        assertEquals(
                4_096,
                new ContextRequest(256, 4_096, 64, 0).resolved(65_536, 64).sendBufferBytes());
        assertEquals(8, ContextRequest.groupSlots(9_216, 65_536));
        assertEquals(1, ContextRequest.groupSlots(8_960, 8_928));
        assertEquals(2, ContextRequest.groupSlots(9_216, 9_217));
    }
}
