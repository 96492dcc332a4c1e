package io.hxb.pm.stream.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.Random;

/** What is taken for a record of a stream and what is not. */
@Tag("property")
class StreamRecordTest {
    private static final int SPACE = 64;

    private final Arena arena = Arena.ofConfined();
    private final long address = arena.allocate(SPACE, 8).address();

    @AfterEach
    void free() {
        arena.close();
    }

    private int check(final int type, final int bodyBytes) {
        return StreamRecord.check(
                StreamRecord.tag(type), address, StreamRecord.HEADER_BYTES + bodyBytes);
    }

    @Test
    void shouldKnowEachRecord() {
        // given
        StreamRecord.header(address, 3, 4, 80);
        StreamRecord.handshake(address, 1000, 5);
        // when, then
        assertEquals(StreamRecord.DATA, check(StreamRecord.DATA, 1));
        assertEquals(StreamRecord.END, check(StreamRecord.END, 0));
        assertEquals(StreamRecord.CREDIT, check(StreamRecord.CREDIT, 0));
        assertEquals(StreamRecord.RESET, check(StreamRecord.RESET, 0));
        assertEquals(StreamRecord.PING, check(StreamRecord.PING, StreamRecord.PING_BYTES));
        assertEquals(StreamRecord.ACCEPT, check(StreamRecord.ACCEPT, StreamRecord.HANDSHAKE_BYTES));
        StreamRecord.header(address, 0, 4, 80);
        assertEquals(StreamRecord.OPEN, check(StreamRecord.OPEN, StreamRecord.HANDSHAKE_BYTES));
    }

    @Test
    void shouldRejectWhatIsCutOrOutOfRange() {
        // given
        StreamRecord.header(address, 3, 4, 80);
        StreamRecord.handshake(address, 1000, 5);
        // when, then
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.DATA, 0));
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.DATA, -1));
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.CREDIT, 1));
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.PING, 7));
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.OPEN, 16), "has a receiver");
        StreamRecord.header(address, 0, 4, 70_000);
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.OPEN, 16), "no such port");
        StreamRecord.header(address, 3, 4, -1);
        assertEquals(StreamRecord.MALFORMED, check(StreamRecord.DATA, 1), "before the start");
        assertEquals(StreamRecord.MALFORMED, StreamRecord.check(0x1234, address, 32));
    }

    @Test
    void shouldOnlyTakeRandomBytesThatAreConsistent() {
        // given
        final long seed = System.nanoTime();
        System.out.println("records from seed " + seed);
        final Random random = new Random(seed);
        int taken = 0;
        // when
        for (int i = 0; i < 200_000; i++) {
            for (int offset = 0; offset < SPACE; offset += 4) {
                final int bits = random.nextInt(4);
                Memory.putInt(address + offset, bits == 0 ? random.nextInt() : bits - 1);
            }
            final int length = random.nextInt(SPACE);
            final int type =
                    StreamRecord.check(StreamRecord.tag(random.nextInt(12)), address, length);
            // then
            if (type != StreamRecord.MALFORMED) {
                taken++;
                assertTrue(type >= StreamRecord.OPEN && type <= StreamRecord.TAKEN);
                assertTrue(length >= StreamRecord.HEADER_BYTES);
                assertTrue(StreamRecord.position(address) >= 0);
            }
        }
        assertTrue(taken > 100, "taken " + taken);
    }
}
