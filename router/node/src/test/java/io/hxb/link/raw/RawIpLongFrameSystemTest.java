package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameReassembler;
import io.hxb.testing.TestFrames;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** Frames that are longer than the MTU, as trains of UDP datagrams on raw links. */
@Tag("system")
class RawIpLongFrameSystemTest extends RawIpPair {
    private static final int BODY_BYTES = 60_000;

    @Test
    void shouldSendTheFragmentsOfAFrameAsATrain() throws IOException {
        // given
        openByIp();
        // when
        send(3, BODY_BYTES);
        final int fragments = sender.offeredFrames();
        await(RawLink.IP, 3 * fragments);
        // then
        assertTrue(fragments >= 7 && fragments <= 8, fragments + " fragments");
        assertEquals(3, frames.released());
        assertEquals(3, sender.trains().trains());
        assertEquals(3L * fragments, sender.trains().frames());
        final BufferPool wholes = frames.pool(4, 66_048);
        final FrameReassembler reassembler =
                new FrameReassembler(wholes.newShare(), 4, 4, 1L << 40);
        int whole = 0;
        for (final TestFrames.Arrival arrival : frames.arrivals()) {
            final long header = arrival.headerAddress();
            final int id =
                    reassembler.onRange(
                            arrival.sourceAddress(),
                            FragmentFlyweight.number(header),
                            FragmentFlyweight.frameBytes(header),
                            FragmentFlyweight.offset(header),
                            header + HEADER,
                            FrameHeaderFlyweight.frameLength(header) - HEADER,
                            0);
            assertEquals(FrameReassembler.TAKEN, reassembler.answer());
            if (id != BufferPool.NONE) {
                assertTrue(
                        frames.isIntact(
                                wholes.headerAddress(id), HEADER + BODY_BYTES, whole, BODY_BYTES));
                whole++;
            }
        }
        assertEquals(3, whole);
    }
}
