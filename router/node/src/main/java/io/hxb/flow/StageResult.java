package io.hxb.flow;

/** What FlowLoop.stage has taken, in one long. Stateless. */
public final class StageResult {
    /** Nothing was taken. */
    public static final long NONE = 0;

    /** A record is impossible; no other answer is negative. */
    public static final long MALFORMED = -1;

    private StageResult() {}

    /** Packs messages and the bytes of their records. */
    public static long of(final int messages, final int lengthBytes) {
        return (long) messages << 32 | lengthBytes;
    }

    /** Messages taken. */
    public static int messages(final long staged) {
        return (int) (staged >>> 32);
    }

    /** Bytes of their records, with padding. */
    public static int lengthBytes(final long staged) {
        return (int) staged;
    }
}
