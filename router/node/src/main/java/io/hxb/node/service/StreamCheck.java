package io.hxb.node.service;

/**
 * Judges one stream of messages by its sequence numbers: what was lost, duplicated, reordered or
 * damaged. Owned by the thread that receives the stream.
 */
public final class StreamCheck {
    private static final int REMEMBERED = 64;

    private long next;
    private long messages;
    private long bytes;
    private long missing;
    private long duplicated;
    private long reordered;
    private long corrupt;

    /**
     * Which of the {@link #REMEMBERED} numbers before {@link #next} have arrived; the last one in
     * the lowest bit.
     */
    private long seen;

    /** Starts a stream at sequence 0. */
    public StreamCheck() {
        // All counts start at 0.
    }

    /**
     * Takes one message into account.
     *
     * @param sequence the 32 bits that it carries, or fewer if it is shorter than that.
     * @param lengthBytes of the message, 1 or more.
     * @param isIntact whether its content is valid.
     */
    public void onMessage(final int sequence, final int lengthBytes, final boolean isIntact) {
        messages++;
        bytes += lengthBytes;
        if (!isIntact) {
            corrupt++;
        }
        // A short message has the lowest bytes of its number: it is the nearest that ends so.
        final int unknownBits = Math.max(0, Integer.SIZE - Byte.SIZE * lengthBytes);
        final int ahead = ((sequence - (int) next) << unknownBits) >> unknownBits;
        if (ahead >= 0) {
            missing += ahead;
            seen = ahead >= REMEMBERED - 1 ? 1 : seen << (ahead + 1) | 1;
            next += ahead + 1L;
        } else {
            onPast(-ahead - 1);
        }
    }

    private void onPast(final int back) {
        if (back < REMEMBERED && (seen >>> back & 1) == 0) {
            seen |= 1L << back;
            missing--;
            reordered++;
        } else {
            duplicated++;
        }
    }

    /** Messages that arrived. */
    public long messages() {
        return messages;
    }

    /** Bytes of them. */
    public long bytes() {
        return bytes;
    }

    /** Numbers that were skipped and did not arrive later. */
    public long lost() {
        return missing;
    }

    /** Messages that arrived again. */
    public long duplicated() {
        return duplicated;
    }

    /** Messages that arrived after a later one. */
    public long reordered() {
        return reordered;
    }

    /** Messages whose content was wrong. */
    public long corrupt() {
        return corrupt;
    }
}
