package io.hxb.bench.attack;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/**
 * Frames that the attacker has seen, the first and the newest ones of each type, with what lies
 * before them on the wire. Owned by one thread.
 */
final class SeenFrames {
    /** Longest frame that is kept, with its prefix. */
    static final int MAX_BYTES = 10_240;

    private static final int SLOTS_A_TYPE = 64;
    private static final int NONE = -1;

    private final Arena arena = Arena.ofAuto();
    private final int prefixBytes;
    private final SplittableRandom random;
    private final long memory =
            arena.allocate((long) FrameType.COUNT * SLOTS_A_TYPE * MAX_BYTES, 64).address();
    private final int[] lengths = new int[FrameType.COUNT * SLOTS_A_TYPE];
    private final int[] lines = new int[FrameType.COUNT * SLOTS_A_TYPE];
    private final long[] seen = new long[FrameType.COUNT];

    /**
     * Has seen nothing.
     *
     * @param prefixBytes before the HXB header of each frame.
     */
    SeenFrames(final int prefixBytes, final SplittableRandom random) {
        this.prefixBytes = prefixBytes;
        this.random = random;
    }

    int prefixBytes() {
        return prefixBytes;
    }

    /**
     * Keeps a copy of a frame, if it is one of ours.
     *
     * @param address of its prefix.
     * @param lengthBytes with the prefix.
     * @param line where it was seen.
     */
    void add(final long address, final int lengthBytes, final int line) {
        final long header = address + prefixBytes;
        if (lengthBytes < prefixBytes + FrameHeaderFlyweight.LENGTH
                || lengthBytes > MAX_BYTES
                || Memory.getUnsignedByte(header) != FrameHeaderFlyweight.VERSION) {
            return;
        }
        final int type = Memory.getUnsignedByte(header + FrameHeaderFlyweight.TYPE_OFFSET);
        if (type == 0 || type >= FrameType.COUNT) {
            return;
        }
        // The first half stays permanently; newer ones take turns in the rest.
        final int half = SLOTS_A_TYPE / 2;
        final int place =
                seen[type] < SLOTS_A_TYPE ? (int) seen[type] : half + (int) (seen[type] % half);
        seen[type]++;
        final int slot = type * SLOTS_A_TYPE + place;
        Memory.copy(address, address(slot), lengthBytes);
        lengths[slot] = lengthBytes;
        lines[slot] = line;
    }

    /** Frames of a type seen so far. */
    long count(final int type) {
        return seen[type];
    }

    /** One of the frames that are kept, each type as often as others; -1 if there are none. */
    int any() {
        final int first = random.nextInt(FrameType.COUNT);
        for (int i = 0; i < FrameType.COUNT; i++) {
            final int type = (first + i) % FrameType.COUNT;
            if (seen[type] > 0) {
                final int kept = (int) Math.min(SLOTS_A_TYPE, seen[type]);
                return type * SLOTS_A_TYPE + random.nextInt(kept);
            }
        }
        return NONE;
    }

    /** As {@link #any}, mostly one that was seen on that line. */
    int anyOf(final int line) {
        int slot = any();
        for (int tried = 0; tried < 4 && slot != NONE && lines[slot] != line; tried++) {
            slot = any();
        }
        return slot;
    }

    /** Where the prefix of a frame that is kept lies. */
    long address(final int slot) {
        return memory + (long) slot * MAX_BYTES;
    }

    /** Bytes of a frame that is kept, with its prefix. */
    int lengthBytes(final int slot) {
        return lengths[slot];
    }
}
