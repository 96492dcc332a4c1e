package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

@Tag("unit")
class TagTableTest {
    private static final int[] PLAN = {11, 12};
    private static final long FIRST_MAC = 0x0248_5842_0000L;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 16, 31, 33, 64, 100, 257, 1_000, 4_096, 65_536})
    void shouldHaveRoomForAsManyAsWereAskedFor(final int hosts) {
        for (int seed = 0; seed < (hosts > 1_000 ? 3 : 300); seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            try (Arena arena = Arena.ofConfined()) {
                final TagTable table = TagTable.in(arena, PLAN, hosts);
                final long[] macs = new long[hosts];
                for (int host = 0; host < hosts; host++) {
                    // A plan numbers its hosts' addresses; addresses of vendors look random.
                    macs[host] =
                            TableTagger.inMemory(
                                    seed == 0
                                            ? FIRST_MAC + host
                                            : (random.nextLong() >>> 17 << 16) + host);
                    assertTrue(table.add(macs[host], host, 1), "host " + host + ", seed " + seed);
                    table.countSent(table.entryOf(host), host, 1);
                }
                for (int host = 0; host < hosts; host++) {
                    assertNotEquals(0, table.entryOf(host));
                    assertEquals(table.entryOf(host), table.find(macs[host]));
                    // Counts follow a peer that is pushed into its other bucket.
                    assertEquals(
                            host,
                            Memory.getLong(
                                    table.countsOf(table.entryOf(host)) + TagTable.BYTES_OFFSET));
                }
            }
        }
    }

    @Test
    void shouldNotTakeThePathOfALaterPeerInTheSamePlace() {
        try (Arena arena = Arena.ofConfined()) {
            // given the entry of a peer, as a frame's sender has found it
            final TagTable table = TagTable.in(arena, PLAN, 1);
            final long mac = TableTagger.inMemory(FIRST_MAC);
            assertTrue(table.add(mac, 0, 1));
            final long entry = table.find(mac);
            assertTrue(TagTable.isStillOf(entry, mac));
            // when another one is put there
            long other = FIRST_MAC;
            do {
                table.remove(table.entryOf(0));
                other++;
                assertTrue(table.add(TableTagger.inMemory(other), 0, 2));
            } while (table.entryOf(0) != entry);
            // then
            assertFalse(TagTable.isStillOf(entry, mac));
            assertTrue(TagTable.isStillOf(entry, TableTagger.inMemory(other)));
        }
    }

    @Test
    void shouldForgetWhereAHostWas() {
        try (Arena arena = Arena.ofConfined()) {
            final TagTable table = TagTable.in(arena, PLAN, 2);
            assertTrue(table.add(TableTagger.inMemory(FIRST_MAC), 1, 1));
            table.remove(table.entryOf(1));
            assertEquals(0, table.entryOf(1));
            assertEquals(0, table.find(TableTagger.inMemory(FIRST_MAC)));
        }
    }
}
