package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.linux.Memory;
import io.hxb.testing.TestFrames;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

@Tag("unit")
class ReceiveRingTest {
    private static final int SLOTS = 4;
    private static final int SLOT_BYTES = 256;

    private final long memory = Arena.ofAuto().allocate(SLOTS * SLOT_BYTES, 64).address();
    private final ReceiveRing ring = new ReceiveRing(memory, SLOT_BYTES, SLOTS);
    private final TestFrames frames = new TestFrames();
    private int kernelHead;

    @Test
    void shouldHandOverFramesInOrderWithLengthSourceAndTag() {
        // given
        fill(64, -1);
        fill(100, 0x2005);
        // when
        final int count = ring.receive(null, frames, 64);
        // then
        assertEquals(2, count);
        final TestFrames.Arrival first = frames.arrivals().get(0);
        final TestFrames.Arrival second = frames.arrivals().get(1);
        assertEquals(64, first.lengthBytes());
        assertEquals(memory + 80, first.headerAddress());
        assertEquals(0x0A0B_0C0D_0E0FL, first.sourceAddress());
        assertEquals(-1, first.vlanTci());
        assertEquals(100, second.lengthBytes());
        assertEquals(0x2005, second.vlanTci());
        assertEquals(2, ring.heldFrames());
    }

    @Test
    void shouldStopAtTheLimitAndGoOnThere() {
        // given
        fill(64, -1);
        fill(65, -1);
        fill(66, -1);
        // when
        final int first = ring.receive(null, frames, 2);
        final int second = ring.receive(null, frames, 2);
        // then
        assertEquals(2, first);
        assertEquals(1, second);
        assertEquals(66, frames.arrivals().get(2).lengthBytes());
    }

    @Test
    void shouldStopAtASlotThatIsStillHeldAndGoOnOnceItIsBack() {
        // given
        for (int i = 0; i < SLOTS; i++) {
            fill(64 + i, -1);
        }
        ring.receive(null, frames, 64);
        // when
        ring.release(frames.arrivals().get(1).token());
        ring.release(frames.arrivals().get(3).token());
        // then
        assertEquals(0, ring.receive(null, frames, 64));
        assertEquals(2, ring.heldFrames());
        assertEquals(false, fill(70, -1));
        ring.release(frames.arrivals().get(0).token());
        fill(70, -1);
        fill(71, -1);
        assertEquals(2, ring.receive(null, frames, 64));
        assertEquals(0, frames.arrivals().get(4).token());
        assertEquals(1, frames.arrivals().get(5).token());
    }

    @Test
    void shouldFindASlotThatIsGivenBackTwice() {
        // given
        fill(64, -1);
        ring.receive(null, frames, 1);
        ring.release(0);
        // when, then
        assertThrows(IllegalStateException.class, () -> ring.release(0));
        assertThrows(IllegalStateException.class, () -> ring.release(2));
    }

    // What the kernel does with a frame; false when it has to drop it.
    private boolean fill(final int lengthBytes, final int tci) {
        final long slot = memory + (long) kernelHead * SLOT_BYTES;
        if (Memory.getIntAcquire(slot) != 0) {
            return false;
        }
        Memory.putInt(slot + 8, 14 + lengthBytes);
        Memory.putShort(slot + 12, 66);
        Memory.putShort(slot + 24, tci);
        Memory.putInt(slot + 66 + 6, 0x0D0C_0B0A);
        Memory.putShort(slot + 66 + 10, 0x0F0E);
        Memory.putIntRelease(slot, tci < 0 ? 1 : 0x11);
        kernelHead = (kernelHead + 1) % SLOTS;
        return true;
    }
}
