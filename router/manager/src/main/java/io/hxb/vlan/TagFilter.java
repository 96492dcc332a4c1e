package io.hxb.vlan;

import io.hxb.os.bpf.ClassicCode;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes the filter of a packet socket that hears the frames of a plan: of frames to other hosts,
 * which come where switches have to flood, only as much as is counted; nothing of frames without a
 * tag or with a VID of another plan, which are the kernel's own. Stateless.
 */
final class TagFilter {
    /** Bytes that are let through of frames to other hosts: their headers. */
    static final int FLOODED_BYTES = 128;

    /** More VIDs make a program that takes longer than what it saves. */
    private static final int MAX_VIDS = 256;

    private static final int ETHER_TYPE_OFFSET = 12;

    private TagFilter() {}

    /**
     * The instructions.
     *
     * @param plan VIDs to hear; if they are many, every VID is let through.
     */
    static long[] of(final int[] plan) {
        final List<Long> code = new ArrayList<>();
        // Probes come in every VID, and do not show traffic.
        code.add(ClassicCode.loadHalf(ETHER_TYPE_OFFSET));
        code.add(ClassicCode.jumpIfEqual(ProbeType.ETHER_TYPE, 0, 1));
        code.add(ClassicCode.reject());
        code.add(ClassicCode.loadWord(ClassicCode.VLAN_TAG_PRESENT));
        code.add(ClassicCode.jumpIfEqual(0, 0, 1));
        code.add(ClassicCode.reject());
        if (plan.length <= MAX_VIDS) {
            code.add(ClassicCode.loadWord(ClassicCode.VLAN_TAG));
            code.add(ClassicCode.and(TagPrograms.VID_MASK));
            for (int i = 0; i < plan.length; i++) {
                // Over the rest of the pairs and the instruction that rejects.
                code.add(ClassicCode.jumpIfEqual(plan[i], 0, 1));
                code.add(ClassicCode.jump(2 * (plan.length - i - 1) + 1));
            }
            code.add(ClassicCode.reject());
        }
        code.add(ClassicCode.loadWord(ClassicCode.PACKET_TYPE));
        code.add(ClassicCode.jumpIfEqual(ClassicCode.TO_ANOTHER, 0, 1));
        code.add(ClassicCode.acceptOnly(FLOODED_BYTES));
        code.add(ClassicCode.accept());
        return code.stream().mapToLong(Long::longValue).toArray();
    }
}
