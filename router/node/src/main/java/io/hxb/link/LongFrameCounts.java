package io.hxb.link;

/**
 * What a link or a sender counts about long frames that cross it as segments. Written by the loop
 * that owns the link or the sender, read by its counter export.
 */
public final class LongFrameCounts {
    /** Of links without them. */
    public static final LongFrameCounts NONE = new LongFrameCounts();

    private long frames;
    private long pieces;
    private long dropped;
    private long unknownSenders;
    private long probes;
    private long fallbacks;

    /** A long frame has passed. */
    public void onFrame() {
        frames++;
    }

    /** A piece of a long frame was sent or has arrived: one segment or several, not cut. */
    public void onPiece() {
        pieces++;
    }

    /** A piece was dropped: it contradicts itself or others, or there is no room for it. */
    public void onDropped() {
        dropped++;
    }

    /** A piece was dropped because it is not of a neighbour. */
    public void onUnknownSender() {
        unknownSenders++;
    }

    /** A long frame was sent to find out whether it arrives, or has arrived for that. */
    public void onProbe() {
        probes++;
    }

    /** Long frames did not arrive any more, so they go otherwise. */
    public void onFallback() {
        fallbacks++;
    }

    /** Long frames since start. */
    public long frames() {
        return frames;
    }

    /** Pieces of them since start. */
    public long pieces() {
        return pieces;
    }

    /** Pieces dropped since start. */
    public long dropped() {
        return dropped;
    }

    /** Pieces of unknown senders since start. */
    public long unknownSenderPieces() {
        return unknownSenders;
    }

    /** Probes since start. */
    public long probes() {
        return probes;
    }

    /** How often long frames stopped arriving, since start. */
    public long fallbacks() {
        return fallbacks;
    }
}
