package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Messages that are longer than a send buffer. */
@Tag("unit")
class LongMessagesTest {
    private static final long LIMIT_NS = 20_000_000_000L;
    private static final int LONGEST = 65_536;

    private final PmMessage message = new PmMessage();

    @Test
    void shouldSendMessagesUpToTheLongestAsOne() throws Exception {
        try (TestNode node = TestNode.withLongFrames();
                PmDevice device = node.invoked();
                PmContext from = device.openContext(1);
                PmContext to = device.openContext(2)) {
            assertEquals(LONGEST, device.mtuBytes());
            assertEquals(LONGEST, from.maxLengthBytes());
            for (final int length : new int[] {0, 1, 8_192, 9_216, 9_217, 65_535, LONGEST}) {
                // given
                final byte[] bytes = new byte[length];
                for (int i = 0; i < length; i++) {
                    bytes[i] = (byte) (i * 31 + length);
                }
                // when
                assertEquals(PmStatus.OK, from.send(0, 2, bytes, length, LIMIT_NS));
                // then
                assertEquals(PmStatus.OK, to.receive(message, LIMIT_NS));
                assertEquals(length, message.lengthBytes());
                final byte[] received = new byte[length];
                message.buffer().getBytes(0, received);
                assertEquals(0, java.util.Arrays.compare(bytes, received));
                to.release(message);
                device.poll();
            }
            assertEquals(0, from.unfinishedSends());
            assertThrows(IllegalArgumentException.class, () -> from.claim(0, 2, LONGEST + 1));
        }
    }

    @Test
    void shouldShareTheBuffersOfAContextBetweenLongAndShortMessages() throws Exception {
        try (TestNode node = TestNode.withLongFrames();
                PmDevice device = node.invoked();
                PmContext from =
                        device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(64))) {
            // given
            final List<Integer> claimed = new ArrayList<>();
            int slot = from.claim(0, 2, LONGEST);
            while (slot >= 0) {
                assertEquals(LONGEST, from.sendSegment(slot).byteSize() / LONGEST * LONGEST);
                claimed.add(slot);
                slot = from.claim(0, 2, LONGEST);
            }
            // then its share of the eight groups
            assertEquals(PmStatus.NO_BUFFERS, slot);
            assertTrue(claimed.size() >= 5 && claimed.size() < 8, claimed.toString());
            assertEquals(claimed.size(), from.destination(0, 2).unfinishedMessages());
            // when, then
            final int other = from.claim(0, 3, 100);
            assertTrue(other >= 0, () -> PmStatus.name(other));
            from.abandon(other);
            claimed.forEach(from::abandon);
            assertEquals(0, from.destination(0, 2).unfinishedMessages());
            assertTrue(from.claim(0, 2, LONGEST) >= 0);
        }
    }

    @Test
    void shouldNotLetALongMessageReachBeyondTheBuffersOfItsContext() throws Exception {
        try (TestNode node = TestNode.withLongFrames();
                PmDevice device = node.invoked();
                PmContext from =
                        device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(39))) {
            // given
            final long begin = firstAddress(from);
            final List<Integer> claimed = new ArrayList<>();
            // when
            for (int node2 = 0; node2 < 2; node2++) {
                int slot = from.claim(node2, 2, LONGEST);
                while (slot >= 0) {
                    claimed.add(slot);
                    slot = from.claim(node2, 2, LONGEST);
                }
            }
            // then
            for (final int slot : claimed) {
                final long end = from.sendAddress(slot) + LONGEST;
                assertTrue(end - begin <= 39 * 9_216L, "slot " + slot);
            }
        }
    }

    private static long firstAddress(final PmContext context) {
        final int slot = context.claim(0, 9, 9_000);
        final long address = context.sendAddress(slot) - slot * 9_216L;
        context.abandon(slot);
        return address;
    }

    @Test
    void shouldHaveBuffersOfTheLongestMessageWhereThereAreFew() throws Exception {
        try (TestNode node = TestNode.withLongFrames();
                PmDevice device = node.invoked();
                PmContext from =
                        device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(2));
                PmContext to = device.openContext(2)) {
            for (int i = 0; i < 4; i++) {
                assertEquals(PmStatus.OK, from.send(0, 2, new byte[LONGEST], i, LIMIT_NS));
                assertEquals(PmStatus.OK, to.receive(message, LIMIT_NS));
                to.release(message);
            }
        }
    }
}
