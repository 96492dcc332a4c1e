package io.hxb.recorder;

import io.hxb.time.TokenBucket;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The events of one loop that the {@link FlightRecorder} has not taken yet. Owned by that loop,
 * which records with plain stores and neither waits nor allocates; one other thread takes them.
 */
// An ordinal is a position in an array of this process alone; files and readers know ids.
@SuppressWarnings("EnumOrdinal")
public final class RecorderRing {
    /** Events of a kind that are recorded at once. */
    static final int BURST_EVENTS = 32;

    /** Time after which another one is recorded. */
    static final long EVENT_NS = 10_000_000_000L;

    /** Events that may wait to be taken. */
    static final int CAPACITY = 256;

    /** What follows the time of an event: its id and its arguments. */
    private static final int WORDS = 6;

    private final long[] words = new long[CAPACITY * WORDS];
    private final TokenBucket[] limits = new TokenBucket[RecordedEvent.values().length];
    private final AtomicLongArray leftOut = new AtomicLongArray(limits.length);
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong recorded = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private long takenSeen;

    /** Takes an event out of a ring. */
    interface Taker {
        /** An event: {@code values} has its four arguments, and is used again. */
        void take(long timeNs, int id, long[] values);
    }

    /** An empty ring; one that nobody takes from keeps the first events. */
    public RecorderRing() {
        Arrays.setAll(limits, i -> new TokenBucket(BURST_EVENTS, EVENT_NS));
    }

    /** Records an event without arguments. */
    public void record(final RecordedEvent event, final long nowNs) {
        record(event, nowNs, 0, 0, 0, 0);
    }

    /** Records an event with one argument. */
    public void record(final RecordedEvent event, final long nowNs, final long first) {
        record(event, nowNs, first, 0, 0, 0);
    }

    /** Records an event with two arguments. */
    public void record(
            final RecordedEvent event, final long nowNs, final long first, final long second) {
        record(event, nowNs, first, second, 0, 0);
    }

    /** Records an event with three arguments. */
    public void record(
            final RecordedEvent event,
            final long nowNs,
            final long first,
            final long second,
            final long third) {
        record(event, nowNs, first, second, third, 0);
    }

    /**
     * Records an event, or counts it if there were too many of its kind.
     *
     * @param nowNs the time of the loop's turn.
     */
    public void record(
            final RecordedEvent event,
            final long nowNs,
            final long first,
            final long second,
            final long third,
            final long fourth) {
        final int kind = event.ordinal();
        if (!limits[kind].take(nowNs)) {
            leftOut.setOpaque(kind, leftOut.getPlain(kind) + 1);
            return;
        }
        final long position = recorded.getPlain();
        if (position - takenSeen == CAPACITY) {
            takenSeen = taken.getAcquire();
            if (position - takenSeen == CAPACITY) {
                lost.setOpaque(lost.getPlain() + 1);
                return;
            }
        }
        final int at = (int) (position & CAPACITY - 1) * WORDS;
        words[at] = nowNs;
        words[at + 1] = event.id();
        words[at + 2] = first;
        words[at + 3] = second;
        words[at + 4] = third;
        words[at + 5] = fourth;
        recorded.setRelease(position + 1);
    }

    /** Hands over what has been recorded; called by one thread at a time. */
    void drain(final Taker taker, final long[] values) {
        final long end = recorded.getAcquire();
        for (long position = taken.getPlain(); position < end; position++) {
            final int at = (int) (position & CAPACITY - 1) * WORDS;
            System.arraycopy(words, at + 2, values, 0, values.length);
            taker.take(words[at], (int) words[at + 1], values);
        }
        taken.setRelease(end);
    }

    /** Events of a kind that were left out so far, because there were too many; any thread. */
    long leftOut(final RecordedEvent event) {
        return leftOut.getOpaque(event.ordinal());
    }

    /** Events that were lost so far, because nobody took earlier ones; any thread. */
    long lost() {
        return lost.getOpaque();
    }
}
