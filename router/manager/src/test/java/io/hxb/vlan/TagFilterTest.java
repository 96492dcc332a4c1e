package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.os.bpf.ClassicCode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

@Tag("unit")
class TagFilterTest {
    private static final int HERE = 0;
    private static final int BROADCAST = 1;
    private static final int WHOLE = 0x4_0000;

    private static final int IPV4 = 0x0800;

    private static int run(final long[] code, final int packetType, final int tag) {
        return run(code, packetType, tag, IPV4);
    }

    /** Runs the few instructions that the filter has. Source: linux/filter.h. */
    private static int run(
            final long[] code, final int packetType, final int tag, final int etherType) {
        int accumulator = 0;
        int next = 0;
        while (true) {
            final long instruction = code[next++];
            final int operand = (int) (instruction >>> 32);
            switch ((int) (instruction & 0xFFFF)) {
                case 0x20 -> accumulator = load(operand, packetType, tag);
                case 0x28 -> {
                    assertEquals(12, operand, "a half word of the frame");
                    accumulator = etherType;
                }
                case 0x54 -> accumulator &= operand;
                case 0x05 -> next += operand;
                case 0x15 ->
                        next += (int) (instruction >>> (accumulator == operand ? 16 : 24)) & 0xFF;
                case 0x06 -> {
                    return operand;
                }
                default -> throw new AssertionError("instruction " + instruction);
            }
        }
    }

    private static int load(final int what, final int packetType, final int tag) {
        return switch (what) {
            case ClassicCode.PACKET_TYPE -> packetType;
            case ClassicCode.VLAN_TAG_PRESENT -> tag < 0 ? 0 : 1;
            case ClassicCode.VLAN_TAG -> tag;
            default -> throw new AssertionError("load " + what);
        };
    }

    @Test
    void shouldHearThePlanAndNothingElse() {
        for (final int vids : new int[] {1, 3, 200, 256, 1000}) {
            // given
            final int[] plan = IntStream.range(0, vids).map(i -> 11 + 2 * i).toArray();
            final long[] filter = TagFilter.of(plan);
            // then
            for (final int vid : plan) {
                final int withPriority = 5 << 13 | vid;
                assertEquals(WHOLE, run(filter, HERE, withPriority), vids + " VIDs, " + vid);
                assertEquals(WHOLE, run(filter, BROADCAST, vid));
                assertEquals(TagFilter.FLOODED_BYTES, run(filter, ClassicCode.TO_ANOTHER, vid));
            }
            assertEquals(0, run(filter, HERE, plan[0], ProbeType.ETHER_TYPE), "a probe");
            assertEquals(0, run(filter, HERE, -1), "no tag");
            if (vids <= 256) {
                assertEquals(0, run(filter, HERE, 12));
                assertEquals(0, run(filter, HERE, 0), "a priority without a VID");
                assertEquals(0, run(filter, BROADCAST, 4094));
            }
        }
    }
}
