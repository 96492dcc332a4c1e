package io.hxb.link;

/**
 * Which bytes of incomplete frames have arrived: for each frame its spans without a gap, in
 * ascending order. Owned by a {@link FrameReassembler}.
 */
final class FrameSpans {
    private static final int MAX_SPANS = FrameReassembler.MAX_SPANS;

    private final int[] counts;
    // First byte and end of each span, {@code [frames][2 * MAX_SPANS]}.
    private final int[] bounds;

    FrameSpans(final int frames) {
        counts = new int[frames];
        bounds = new int[frames * 2 * MAX_SPANS];
    }

    /** Nothing of a frame is there. */
    void clear(final int frame) {
        counts[frame] = 0;
    }

    /** Spans of a frame. */
    int count(final int frame) {
        return counts[frame];
    }

    /** First byte of a span. */
    int start(final int frame, final int index) {
        return bounds[frame * 2 * MAX_SPANS + 2 * index];
    }

    /** The byte after a span. */
    int end(final int frame, final int index) {
        return bounds[frame * 2 * MAX_SPANS + 2 * index + 1];
    }

    /**
     * Adds the bytes of a frame from {@code start} to before {@code end}, if none is there.
     *
     * @return what becomes of the range, see {@link FrameReassembler#answer}.
     */
    int add(final int frame, final int start, final int end) {
        final int base = frame * 2 * MAX_SPANS;
        final int count = counts[frame];
        // Spans before this index begin at or before the range.
        int index = count;
        while (index > 0 && bounds[base + 2 * index - 2] > start) {
            index--;
        }
        final int endBefore = index > 0 ? bounds[base + 2 * index - 1] : -1;
        if (endBefore >= end) {
            return FrameReassembler.DOUBLED;
        }
        final boolean hasNext = index < count;
        final int next = base + 2 * index;
        if (endBefore > start || (hasNext && bounds[next] < end)) {
            return FrameReassembler.CONTRADICTING;
        }
        final boolean touchesNext = hasNext && bounds[next] == end;
        if (endBefore != start) {
            if (touchesNext) {
                bounds[next] = start;
                return FrameReassembler.TAKEN;
            }
            return insert(frame, next, start, end);
        }
        bounds[next - 1] = end;
        if (touchesNext) {
            bounds[next - 1] = bounds[next + 1];
            remove(frame, next);
        }
        return FrameReassembler.TAKEN;
    }

    private int insert(final int frame, final int at, final int start, final int end) {
        if (counts[frame] == MAX_SPANS) {
            return FrameReassembler.REFUSED;
        }
        System.arraycopy(bounds, at, bounds, at + 2, end(frame) - at);
        bounds[at] = start;
        bounds[at + 1] = end;
        counts[frame]++;
        return FrameReassembler.TAKEN;
    }

    private void remove(final int frame, final int at) {
        System.arraycopy(bounds, at + 2, bounds, at, end(frame) - at - 2);
        counts[frame]--;
    }

    private int end(final int frame) {
        return 2 * (frame * MAX_SPANS + counts[frame]);
    }
}
