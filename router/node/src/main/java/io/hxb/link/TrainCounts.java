package io.hxb.link;

/**
 * What a link or a sender counts about trains: frames of one size that pass through the kernel in
 * one piece. Written by the loop that owns the link or the sender, read by its counter export.
 */
public final class TrainCounts {
    /** Of links without trains. */
    public static final TrainCounts NONE = new TrainCounts();

    private long trains;
    private long frames;
    private long copiedFrames;
    private long refusals;
    private long strangeProbes;

    /** A train of {@code count} frames has passed. */
    public void onTrain(final int count) {
        trains++;
        frames += count;
    }

    /** A received frame was copied, because its train had other sizes than expected. */
    public void onCopied() {
        copiedFrames++;
    }

    /** Kernel or NIC do not take trains. */
    public void onRefused() {
        refusals++;
    }

    /** Something asked for frames in trains that is no neighbour. */
    public void onStrangeProbe() {
        strangeProbes++;
    }

    /** Trains since start. */
    public long trains() {
        return trains;
    }

    /** Frames that travelled in trains, since start. */
    public long frames() {
        return frames;
    }

    /** Received frames that were copied, since start. */
    public long copiedFrames() {
        return copiedFrames;
    }

    /** 1 if trains were refused, so that frames go one by one; else 0. */
    public long refusals() {
        return refusals;
    }

    /** Probes that were dropped because they are not of a neighbour, since start. */
    public long unknownSenderProbes() {
        return strangeProbes;
    }
}
