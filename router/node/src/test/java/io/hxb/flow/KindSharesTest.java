package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which kind of flows sends next. */
@Tag("unit")
class KindSharesTest {
    private static final long MEBIBYTE = 1 << 20;

    @Test
    void shouldDivideTurnsOfAnyLengthByWeight() {
        for (final int weight : new int[] {1, 25, 100, 400, 10_000}) {
            // given
            final KindShares shares = new KindShares(weight);
            long packets = 0;
            long messages = 0;
            // when
            for (int turn = 0; turn < 200_000; turn++) {
                final boolean isOfPackets = shares.arePacketsNext();
                final int bytes = isOfPackets ? 9_000 : 1_000 + turn % 7 * 1_000;
                packets += isOfPackets ? bytes : 0;
                messages += isOfPackets ? 0 : bytes;
                shares.onSent(isOfPackets, bytes);
            }
            // then
            assertEquals(1, packets * 100.0 / messages / weight, 0.02, "weight " + weight);
        }
    }

    @Test
    void shouldOweNoMoreThanALittleToAKindThatWasSilent() {
        // given
        final KindShares shares = new KindShares(200);
        shares.onSent(false, 1_000 * MEBIBYTE);
        // when
        shares.onSent(true, 2 * MEBIBYTE);
        // then
        assertTrue(shares.arePacketsNext());
        shares.onSent(true, 1);
        assertFalse(shares.arePacketsNext());
        // given
        shares.onSent(true, 1_000 * MEBIBYTE);
        // when
        shares.onSent(false, MEBIBYTE / 2 - 1);
        // then
        assertFalse(shares.arePacketsNext());
        shares.onSent(false, 1);
        assertTrue(shares.arePacketsNext());
    }

    @Test
    void shouldExpectPacketsOnlyAfterMuchWasSentAndTheShareIsNotReached() {
        // given
        final KindShares shares = new KindShares(100);
        shares.onSent(false, MEBIBYTE);
        // then
        shares.onSent(true, 100_000);
        assertFalse(shares.arePacketsComing());
        shares.onSent(true, 100_000);
        assertTrue(shares.arePacketsComing());
        // when
        shares.onRefilled();
        // then
        assertFalse(shares.arePacketsComing());
        // when
        shares.onSent(true, MEBIBYTE);
        // then
        assertFalse(shares.arePacketsComing());
    }
}
