package io.hxb.link;

/** What a {@link FrameReassembler} has counted since start. Written by its owner. */
public final class ReassemblyCounts {
    private long frames;
    private long ranges;
    private long doubled;
    private long contradicting;
    private long late;
    private long expired;
    private long displaced;
    private long refused;

    ReassemblyCounts() {}

    void onFrame() {
        frames++;
    }

    void onRange(final int answer) {
        ranges++;
        switch (answer) {
            case FrameReassembler.DOUBLED -> doubled++;
            case FrameReassembler.CONTRADICTING -> contradicting++;
            case FrameReassembler.LATE -> late++;
            case FrameReassembler.REFUSED -> refused++;
            default -> {}
        }
    }

    void onDisplaced() {
        displaced++;
    }

    void onExpired(final int count) {
        expired += count;
    }

    /** Frames that were completed. */
    public long frames() {
        return frames;
    }

    /** Ranges that arrived, also those that were dropped. */
    public long ranges() {
        return ranges;
    }

    /** Ranges that had arrived before. */
    public long doubled() {
        return doubled;
    }

    /** Ranges that contradict themselves or another of the same frame. */
    public long contradicting() {
        return contradicting;
    }

    /** Ranges of frames that had been completed or given up before. */
    public long late() {
        return late;
    }

    /** Frames that were given up because of their age. */
    public long expired() {
        return expired;
    }

    /** Frames that were given up for a newer one of the same source. */
    public long displaced() {
        return displaced;
    }

    /** Ranges for which there was no place, no buffer or no span. */
    public long refused() {
        return refused;
    }
}
