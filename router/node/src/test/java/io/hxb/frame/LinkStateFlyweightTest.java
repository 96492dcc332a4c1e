package io.hxb.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Random;

@Tag("unit")
class LinkStateFlyweightTest {
    private static final byte[] NAME = "pc-7ü".getBytes(StandardCharsets.UTF_8);

    private final MemorySegment memory = Arena.ofAuto().allocate(4_096, 8);
    private final long address = memory.address();
    private final LinkStateFlyweight entry = new LinkStateFlyweight().wrap(address);

    private void writeRecord() {
        memory.fill((byte) 0xFF);
        entry.record(2, NAME)
                .origin(7, -8, 9, 10, 11)
                .ageMs(12)
                .adjacency(0, 3, 4, 5, 6)
                .adjacency(1, 254, 300, 70_000, 1L << 40);
    }

    @Test
    void shouldReadBackWhatWasWritten() {
        // when
        writeRecord();
        // then
        assertEquals(LinkStateFlyweight.RECORD, entry.kind());
        assertEquals(32 + 2 * 8 + 8, entry.length());
        assertEquals(7, entry.node());
        assertEquals(-8, entry.identity());
        assertEquals(9, entry.generation());
        assertEquals(10, entry.sequence());
        assertEquals(11, entry.incarnation());
        assertEquals(12, entry.ageMs());
        assertFalse(entry.isStopped());
        assertEquals("pc-7ü", entry.name());
        assertEquals(2, entry.adjacencies());
        assertEquals(3, entry.neighbour(0));
        assertEquals(4, entry.linkCount(0));
        assertEquals(5, entry.mtuBytes(0));
        assertEquals(6, entry.capacityMbps(0));
        assertEquals(254, entry.neighbour(1));
        assertEquals(255, entry.linkCount(1));
        assertEquals(65_535, entry.mtuBytes(1));
        assertEquals(0xFFFF_FFFFL, entry.capacityMbps(1));
        assertTrue(entry.stopped().isStopped());
        assertTrue(LinkStateFlyweight.isValid(address, entry.length()));
    }

    @Test
    void shouldFindTheAdjacencyToEachNeighbour() {
        // given
        entry.record(LinkStateFlyweight.MAX_ADJACENCIES, NAME);
        for (int i = 0; i < LinkStateFlyweight.MAX_ADJACENCIES; i++) {
            entry.adjacency(i, 3 * i + 1, 1, 1, 1);
        }
        for (int node = 0; node <= LinkStateFlyweight.MAX_NODE; node++) {
            // when
            final int found = entry.find(node);
            // then
            final boolean isThere = node % 3 == 1 && node / 3 < 64;
            assertEquals(isThere ? node / 3 : -1, found, "node " + node);
        }
        assertEquals(-1, entry.record(0, NAME).find(0));
    }

    // What is written where, of a valid record, and whether it is valid then.
    @ParameterizedTest
    @CsvSource({
        "0, 55, false",
        "0, 60, false",
        "2, 0, false",
        "2, 2, false",
        "2, 3, false",
        "3, 8, true",
        "3, 255, false",
        "3, 3, false",
        "3, 254, false",
        "26, 1, true",
        "26, 2, false",
        "27, 128, false",
        "28, 1, true",
        "28, 2, false",
        "29, 1, false",
        "29, 3, false",
        "30, 5, false",
        "30, 7, true",
        "30, 9, false",
        "31, 1, false",
        "32, 254, false",
        "33, 0, false",
        "40, 3, false",
        "40, 2, false",
        "40, 255, false",
        "54, 0, true",
        "55, 1, false",
    })
    void shouldRefuseEachValueThatIsOutOfRange(
            final int offset, final int value, final boolean isValid) {
        // given
        writeRecord();
        assertTrue(LinkStateFlyweight.isValid(address, entry.length()));
        // when
        Memory.putByte(address + offset, value);
        // then
        assertEquals(isValid, LinkStateFlyweight.isValid(address, 56));
    }

    @Test
    void shouldRefuseRowsThatAreCutOrEmpty() {
        // given
        writeRecord();
        final int first = entry.length();
        entry.wrap(address + first).acknowledgement().origin(1, 2, 3, 4, 5);
        final int both = first + entry.length();
        // when
        for (int length = 0; length <= both; length++) {
            // then
            final boolean isWhole = length == first || length == both;
            assertEquals(isWhole, LinkStateFlyweight.isValid(address, length), "" + length);
        }
        Memory.putShort(address + first, 28);
        assertFalse(LinkStateFlyweight.isValid(address, both + 4));
    }

    @Test
    void shouldOrderAllRecordsInOneRow() {
        // given
        final Random random = new Random(1);
        final LinkStateFlyweight[] records = new LinkStateFlyweight[40];
        for (int i = 0; i < records.length; i++) {
            records[i] = new LinkStateFlyweight().wrap(address + i * 64L);
            records[i].origin(
                    1,
                    random.nextInt(3) - 1,
                    random.nextInt(3) - 1,
                    random.nextInt(3) - 1,
                    random.nextInt(3) - 1);
        }
        for (final LinkStateFlyweight one : records) {
            for (final LinkStateFlyweight other : records) {
                // then
                final int order = Integer.signum(one.orderAgainst(other));
                assertEquals(-order, Integer.signum(other.orderAgainst(one)));
                for (final LinkStateFlyweight third : records) {
                    if (order > 0 && other.orderAgainst(third) > 0) {
                        assertTrue(one.orderAgainst(third) > 0);
                    }
                }
            }
        }
    }

    @Test
    void shouldPreferTheSmallerIdentityThenTheNewestRecordThenTheLargerIncarnation() {
        final LinkStateFlyweight other = new LinkStateFlyweight().wrap(address + 64);
        entry.origin(1, 5, 1, 1, 1);
        assertTrue(entry.orderAgainst(other.origin(1, -5, 9, 9, 9)) > 0);
        assertTrue(entry.orderAgainst(other.origin(1, 5, 0, 9, 9)) > 0);
        assertTrue(entry.orderAgainst(other.origin(1, 5, -1, 0, 0)) < 0);
        assertTrue(entry.orderAgainst(other.origin(1, 5, 1, 2, 0)) < 0);
        assertTrue(entry.orderAgainst(other.origin(1, 5, 1, 1, 0)) > 0);
        assertEquals(0, entry.orderAgainst(other.sameOrigin(entry)));
        assertFalse(entry.isOfNone());
        assertTrue(other.ofNone(1).isOfNone());
        assertTrue(entry.orderAgainst(other) > 0);
    }

    @Test
    void shouldCompareAllButTheOriginAndTheAge() {
        // given
        writeRecord();
        final int length = entry.length();
        final LinkStateFlyweight other = new LinkStateFlyweight().wrap(address + 512);
        Memory.copy(address, address + 512, length);
        other.origin(1, 2, 3, 4, 5).ageMs(99);
        assertTrue(entry.hasSameContent(other));
        for (int offset = 28; offset < length; offset++) {
            // when
            final int before = Memory.getUnsignedByte(address + offset);
            Memory.putByte(address + offset, before ^ 1);
            // then
            assertFalse(entry.hasSameContent(other), "offset " + offset);
            Memory.putByte(address + offset, before);
        }
        assertFalse(entry.hasSameContent(other.record(1, NAME)));
    }
}
