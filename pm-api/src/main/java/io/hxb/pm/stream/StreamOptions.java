package io.hxb.pm.stream;

/**
 * Sizes and times of the streams of one context. Immutable.
 *
 * @param contextId context to use, or -1 for the highest one that is free.
 * @param sendBuffers messages of all streams together that may be in flight, 16 to 65,536.
 * @param windowBytes bytes of one stream that may be received and not yet read, 1,024 to 2^30.
 * @param maxStreams streams at a time, 1 to 2^24; further connections are refused.
 * @param keepAliveNs time without sending to a peer after which it is asked whether it is there, in
 *     ns, 10 ms or more.
 * @param spinNs how long a waiting thread spins before it sleeps, in ns; 0 to sleep immediately.
 * @param lingerNs how long closing waits for what was written to be acknowledged, in ns.
 */
public record StreamOptions(
        int contextId,
        int sendBuffers,
        int windowBytes,
        int maxStreams,
        long keepAliveNs,
        long spinNs,
        long lingerNs) {
    /** Any context. */
    public static final int ANY_CONTEXT = -1;

    /**
     * Any context, 512 send buffers, windows of 1 MiB, 65,536 streams, keep-alive after a second,
     * no spinning, 5 seconds of lingering.
     */
    public static final StreamOptions DEFAULT =
            new StreamOptions(
                    ANY_CONTEXT, 512, 1 << 20, 1 << 16, 1_000_000_000L, 0, 5_000_000_000L);

    private static final long MIN_KEEP_ALIVE_NS = 10_000_000L;

    /** Checks the values. */
    public StreamOptions {
        check("contextId", contextId, -1, 4095);
        check("sendBuffers", sendBuffers, 16, 1 << 16);
        check("windowBytes", windowBytes, 1024, 1 << 30);
        check("maxStreams", maxStreams, 1, 1 << 24);
        check("keepAliveNs", keepAliveNs, MIN_KEEP_ALIVE_NS, Long.MAX_VALUE);
        check("spinNs", spinNs, 0, Long.MAX_VALUE);
        check("lingerNs", lingerNs, 0, Long.MAX_VALUE);
    }

    private static void check(final String name, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must be " + min + ".." + max + ": " + value);
        }
    }

    /**
     * {@return these options with another context}
     *
     * @param id as {@link #contextId()}, in the range that the class description gives.
     */
    public StreamOptions withContextId(final int id) {
        return new StreamOptions(
                id, sendBuffers, windowBytes, maxStreams, keepAliveNs, spinNs, lingerNs);
    }

    /**
     * {@return these options with another window for each stream}
     *
     * @param bytes as {@link #windowBytes()}, in the range that the class description gives.
     */
    public StreamOptions withWindowBytes(final int bytes) {
        return new StreamOptions(
                contextId, sendBuffers, bytes, maxStreams, keepAliveNs, spinNs, lingerNs);
    }

    /**
     * {@return these options with another limit of streams}
     *
     * @param count as {@link #maxStreams()}, in the range that the class description gives.
     */
    public StreamOptions withMaxStreams(final int count) {
        return new StreamOptions(
                contextId, sendBuffers, windowBytes, count, keepAliveNs, spinNs, lingerNs);
    }

    /**
     * {@return these options with another number of send buffers}
     *
     * @param count as {@link #sendBuffers()}, in the range that the class description gives.
     */
    public StreamOptions withSendBuffers(final int count) {
        return new StreamOptions(
                contextId, count, windowBytes, maxStreams, keepAliveNs, spinNs, lingerNs);
    }

    /**
     * {@return these options with another time until a silent peer is asked}
     *
     * @param ns as {@link #keepAliveNs()}, in the range that the class description gives.
     */
    public StreamOptions withKeepAliveNs(final long ns) {
        return new StreamOptions(
                contextId, sendBuffers, windowBytes, maxStreams, ns, spinNs, lingerNs);
    }

    /**
     * {@return these options with another time of spinning before sleeping}
     *
     * @param ns as {@link #spinNs()}, in the range that the class description gives.
     */
    public StreamOptions withSpinNs(final long ns) {
        return new StreamOptions(
                contextId, sendBuffers, windowBytes, maxStreams, keepAliveNs, ns, lingerNs);
    }
}
