package io.hxb.fabric.vlan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.vlan.config.Dialect;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.List;

@Tag("unit")
class VlanIdsTest {
    private static final BitSet IOS = Dialect.parse("ios").reservedVids();

    @Test
    void shouldTakeVidsInTheirOrder() {
        assertArrayEquals(new int[] {2, 3, 4}, VlanIds.all().take(3, new BitSet(), "none"));
        assertArrayEquals(
                new int[] {30, 10, 11}, VlanIds.parse("30,10-12").take(3, new BitSet(), "none"));
    }

    @Test
    void shouldStepOverReservedVidsUnlessTheyWereChosen() {
        // when
        final int[] vids = VlanIds.all().take(1002, IOS, "Cisco IOS");
        final GraphException e =
                assertThrows(
                        GraphException.class,
                        () -> VlanIds.parse("1000-1010").take(4, IOS, "Cisco IOS"));
        // then
        assertEquals(1001, vids[999]);
        assertEquals(1006, vids[1000]);
        assertTrue(e.getMessage().contains("VID 1002 is reserved on Cisco IOS"), e.getMessage());
        assertTrue(e.getMessage().contains("1002-1005"), e.getMessage());
    }

    @Test
    void shouldReportWhenThereAreTooFewVids() {
        final GraphException e =
                assertThrows(
                        GraphException.class,
                        () -> VlanIds.parse("7-9").take(4, new BitSet(), "none"));
        assertTrue(e.getMessage().contains("needs 4 VLANs"), e.getMessage());
        assertTrue(e.getMessage().contains("only 3 VIDs"), e.getMessage());
    }

    @Test
    void shouldRefuseWhatIsNoRangeOfVids() {
        for (final String text :
                List.of("0-3", "4095", "5-3", "a", "1,,2", "", "3-5,4", "99999", "-1")) {
            assertThrows(GraphException.class, () -> VlanIds.parse(text), text);
        }
    }

    @Test
    void shouldWriteRanges() {
        final BitSet vids = new BitSet();
        vids.set(2, 6);
        vids.set(9);
        assertEquals("2-5,9", VlanIds.ranges(vids));
        assertEquals("", VlanIds.ranges(new BitSet()));
    }
}
