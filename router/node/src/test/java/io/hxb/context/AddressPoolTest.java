package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

@Tag("property")
class AddressPoolTest {
    private static final long PAGE = 4096;
    private static final long MAX_BYTES = 1 << 20;

    @Test
    void shouldNeverGiveTheSameAddressTwiceAndUseFreedOnesAgain() throws Exception {
        final long seed = Long.getLong("hxb.seed", System.nanoTime());
        final Random random = new Random(seed);
        final AddressPool pool = new AddressPool(MAX_BYTES);
        final TreeMap<Long, AddressPool.Part> taken = new TreeMap<>();
        int refused = 0;
        for (int i = 0; i < 5_000; i++) {
            if (random.nextBoolean() && !taken.isEmpty()) {
                final Long key = taken.ceilingKey(random.nextLong());
                taken.remove(key == null ? taken.firstKey() : key).free();
            } else {
                refused += take(pool, random, taken) ? 0 : 1;
            }
            assertTrue(isDisjoint(taken), "seed " + seed);
        }
        assertTrue(refused > 0, "seed " + seed);
        // then all that was free in parts is one again
        taken.values().forEach(AddressPool.Part::free);
        final AddressPool fresh = new AddressPool(2 * MAX_BYTES);
        fresh.take(MAX_BYTES).free();
        final AddressPool.Part left = fresh.take(MAX_BYTES / 2);
        fresh.take(MAX_BYTES / 2).free();
        left.free();
        assertEquals(left.offset(), fresh.take(MAX_BYTES).offset());
        pool.close();
        fresh.close();
    }

    private static boolean take(
            final AddressPool pool, final Random random, final Map<Long, AddressPool.Part> taken) {
        try {
            final AddressPool.Part part = pool.take(1 + random.nextInt(200_000));
            taken.put(address(part), part);
            return true;
        } catch (final PmException e) {
            assertTrue(e.getMessage().contains("in too many parts"), e.getMessage());
            return false;
        }
    }

    private static long address(final AddressPool.Part part) {
        return part.range().address() + part.offset();
    }

    private static boolean isDisjoint(final Map<Long, AddressPool.Part> taken) {
        long end = 0;
        for (final Map.Entry<Long, AddressPool.Part> entry : taken.entrySet()) {
            if (entry.getKey() < end || entry.getValue().lengthBytes() % PAGE != 0) {
                return false;
            }
            end = entry.getKey() + entry.getValue().lengthBytes();
        }
        return true;
    }

    @Test
    void shouldRefuseMoreThanItMayReserve() throws Exception {
        final AddressPool pool = new AddressPool(MAX_BYTES);
        assertEquals(PAGE, pool.take(1).lengthBytes());
        assertThrows(PmException.class, () -> pool.take(MAX_BYTES));
        pool.close();
    }
}
