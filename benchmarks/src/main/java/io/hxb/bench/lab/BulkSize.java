package io.hxb.bench.lab;

/**
 * Size of the messages of bulk data. Immutable.
 *
 * @param bytes of a message; 0 for as many as a frame of the MTU holds.
 */
record BulkSize(int bytes) {
    /** As many bytes as a frame of the MTU holds. */
    static final BulkSize FRAME = new BulkSize(0);

    private static final String FRAME_WORD = "frame";
    private static final int MIN_BYTES = Integer.BYTES;
    private static final int MAX_BYTES = 1 << 27;

    /**
     * Reads one.
     *
     * @param text {@code frame}, or a number of bytes.
     * @throws IllegalArgumentException with the valid values in its message.
     */
    static BulkSize parse(final String text) {
        if (text.equals(FRAME_WORD)) {
            return FRAME;
        }
        final int bytes = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a size must be frame or " + MIN_BYTES + ".." + MAX_BYTES + ": " + text);
        }
        return new BulkSize(bytes);
    }

    /** The size where a frame holds at most this much. */
    int bytes(final int frameBytes) {
        return bytes == 0 ? frameBytes : bytes;
    }

    /** For the name of a contestant; empty for messages of a frame. */
    String label() {
        if (bytes == 0) {
            return "";
        }
        final boolean isMega = bytes % (1 << 20) == 0;
        final boolean isKilo = bytes % (1 << 10) == 0;
        return ", "
                + (isMega ? (bytes >> 20) + " MB" : isKilo ? (bytes >> 10) + " KB" : bytes + " B")
                + " messages";
    }
}
