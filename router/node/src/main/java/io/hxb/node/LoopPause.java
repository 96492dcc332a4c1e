package io.hxb.node;

/**
 * Decides for how long a loop that has nothing to do leaves its sockets and the rings of its
 * applications alone, so that what comes meanwhile is taken together. There are two reasons. Owned
 * by that loop.
 *
 * <p><b>Bulk data</b>: what arrives in a pause is received by one call, and what has been
 * acknowledged meanwhile is followed by longer trains. While lone messages are about, nothing is
 * left alone.
 *
 * <p><b>Streams of short messages</b>: where an application shares its CPU with the loop, each
 * message that wakes the loop takes the CPU from the application before it can send the next one.
 * So a pause is tried when the loop has been woken often in a short time.
 */
final class LoopPause {
    /** The first pause for bulk data, in ns: some frames of a flow that costs a CPU much. */
    static final long MIN_BULK_NS = 100_000;

    /** The longest one, in ns: under a tenth of what the buffers of sockets hold at 1 Gbit/s. */
    static final long MAX_BULK_NS = 500_000;

    /** What a frame is worth, in ns of a pause; those of 9,000 bytes follow one another faster. */
    private static final long BULK_NS_PER_FRAME = 16_000;

    /** Bytes that count as one more frame: a long one is worth as much as several others. */
    static final long BULK_BYTES_PER_FRAME = 8_192;

    private static final long MANY_FRAMES = 256;

    /** Time without lone messages before pauses for bulk data, in ns. */
    private static final long LONE_NS = 10_000_000;

    /**
     * A pause for short messages, in ns: some frames full of them, if they come without a break.
     */
    static final long STREAM_NS = 50_000;

    /** What a message, or a buffer that is given back, is worth, in ns of a pause. */
    static final long STREAM_NS_PER_ENTRY = 500;

    /** How often applications have to wake the loop within {@link #OFTEN_NS}. */
    private static final int OFTEN = 16;

    private static final long OFTEN_NS = 1_000_000;

    private final PauseTrials bulk =
            new PauseTrials(MIN_BULK_NS, MAX_BULK_NS, BULK_NS_PER_FRAME, MANY_FRAMES);
    private final PauseTrials stream =
            new PauseTrials(STREAM_NS, STREAM_NS, STREAM_NS_PER_ENTRY, Long.MAX_VALUE);
    private long loneSeen;
    private long wakeUpsBefore;
    private long countedNs;
    private boolean hasCounted;

    /**
     * The loop, whose links send and receive trains, has nothing to do.
     *
     * @param frames that it has received and sent, since any start.
     * @param bytes of these.
     * @param loneFrames of these, those that waited for nothing else, and for which nothing may
     *     wait.
     * @param nowNs time in ns, from any start.
     * @return how long it should leave its sockets alone, in ns; 0 if it should wait for a frame.
     */
    long bulkNs(final long frames, final long bytes, final long loneFrames, final long nowNs) {
        if (loneFrames != loneSeen) {
            loneSeen = loneFrames;
            bulk.rest(LONE_NS, nowNs);
        }
        return bulk.pauseNs(true, frames + bytes / BULK_BYTES_PER_FRAME, nowNs);
    }

    /**
     * The loop has nothing to do.
     *
     * @param wakeUps how often applications have woken it, since any start.
     * @param entries that it has taken from applications, messages and buffers given back, since
     *     any start.
     * @param nowNs time in ns, from any start.
     * @return how long it should leave its applications alone, in ns; 0 if they should wake it.
     */
    long streamNs(final long wakeUps, final long entries, final long nowNs) {
        if (!hasCounted || stream.isPausing() || nowNs - countedNs > OFTEN_NS) {
            hasCounted = true;
            wakeUpsBefore = wakeUps;
            countedNs = nowNs;
        }
        return stream.pauseNs(wakeUps - wakeUpsBefore >= OFTEN, entries, nowNs);
    }
}
