package io.hxb.tool.capture;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Joins the pieces of long frames, of the last {@value #MAX_FRAMES} of which one was captured.
 * Owned by one thread.
 */
final class LongFrames implements AutoCloseable {
    /** Bytes of a frame at most. */
    static final int MAX_BYTES = 1 << 17;

    private static final int MAX_FRAMES = 256;

    /**
     * What the pieces of a frame have in common.
     *
     * @param hop the addresses from and to which they went.
     * @param origin the node that cut the frame.
     * @param number of the frame.
     */
    record Key(String hop, long origin, int number) {}

    private static final class Join {
        private final byte[] bytes;
        private final BitSet there;
        private int pieces;

        Join(final int frameBytes) {
            bytes = new byte[frameBytes];
            there = new BitSet(frameBytes);
        }

        boolean isComplete() {
            return there.cardinality() == bytes.length;
        }
    }

    private final Map<Key, Join> joins = new LinkedHashMap<>();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment frame = arena.allocate(MAX_BYTES, 8);
    private int pieces;

    LongFrames() {}

    /**
     * Takes a piece.
     *
     * @param frameBytes length of the frame, below {@link #MAX_BYTES}.
     * @param offset of the piece in it.
     * @param address of the piece.
     * @param lengthBytes of the piece that were captured.
     * @return address of the whole frame, valid until the next call; 0 while there are gaps.
     */
    long add(
            final Key key,
            final int frameBytes,
            final int offset,
            final long address,
            final int lengthBytes) {
        if (frameBytes >= MAX_BYTES || offset + lengthBytes > frameBytes || lengthBytes <= 0) {
            return 0;
        }
        Join join = joins.get(key);
        if (join == null || join.bytes.length != frameBytes) {
            join = new Join(frameBytes);
            joins.remove(key);
            joins.put(key, join);
            if (joins.size() > MAX_FRAMES) {
                joins.remove(joins.keySet().iterator().next());
            }
        }
        join.pieces++;
        join.there.set(offset, offset + lengthBytes);
        MemorySegment.copy(
                Memory.ALL, ValueLayout.JAVA_BYTE, address, join.bytes, offset, lengthBytes);
        if (!join.isComplete()) {
            return 0;
        }
        joins.remove(key);
        pieces = join.pieces;
        MemorySegment.copy(join.bytes, 0, frame, ValueLayout.JAVA_BYTE, 0, frameBytes);
        return frame.address();
    }

    /** Pieces of the frame that was complete last. */
    int pieces() {
        return pieces;
    }

    @Override
    public void close() {
        arena.close();
    }
}
