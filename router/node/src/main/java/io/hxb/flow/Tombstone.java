package io.hxb.flow;

import io.hxb.frame.EndedFlyweight;

import java.util.Arrays;

/**
 * What a context that is closed had of one flow: which of its frames had arrived, and which
 * messages of those the application had not released. Its contents do not change; {@link
 * Tombstones} has the lock for the rest.
 */
final class Tombstone {
    /** Of one run: first sequence, frames, messages left of each. */
    private static final int RUN_FIELDS = 3;

    final int contextId;
    final int incarnation;
    final int peerContext;
    final int sourceIncarnation;
    final long peerCoordinates;
    final int epoch;

    /** Sequence before which no frame is reported unreleased. */
    final int firstSequence;

    /** The sequence after the last that had arrived. */
    final int seenTo;

    /** True if messages had arrived that were not released. */
    final boolean hasLost;

    private final long key;
    private final long madeNs;
    private final int[] runs;
    private Tombstone older;
    private boolean isAsked;

    private Tombstone(final ReceiveFlow flow, final Builder what, final long nowNs) {
        contextId = flow.context.id;
        incarnation = flow.context.incarnation;
        peerContext = flow.peerContext;
        sourceIncarnation = flow.peerIncarnation();
        peerCoordinates = flow.peerCoordinates;
        epoch = flow.epoch();
        key = flow.key;
        madeNs = nowNs;
        firstSequence = what.floor;
        seenTo = what.end;
        hasLost = what.hasLost;
        runs = Arrays.copyOf(what.runs, what.count);
    }

    /** Writes what is remembered into an ENDED frame. */
    void write(final EndedFlyweight into) {
        into.ends(firstSequence, seenTo);
        for (int run = 0; run < runs(); run++) {
            into.run(
                    run,
                    runs[run * RUN_FIELDS],
                    runs[run * RUN_FIELDS + 1],
                    runs[run * RUN_FIELDS + 2]);
        }
    }

    int runs() {
        return runs.length / RUN_FIELDS;
    }

    long key() {
        return key;
    }

    long madeNs() {
        return madeNs;
    }

    /** The next one of the same two ends; with the lock. */
    Tombstone older() {
        return older;
    }

    void older(final Tombstone value) {
        older = value;
    }

    /** The source has asked for it; with the lock. */
    boolean isAsked() {
        return isAsked;
    }

    void onAsked() {
        isAsked = true;
    }

    /** Puts together what was not released of a flow, in the order of its frames. */
    static final class Builder {
        private final int floor;
        private final int[] runs = new int[EndedFlyweight.MAX_RUNS * RUN_FIELDS];
        private final int end;
        private int count;
        private boolean hasLost;

        /**
         * Begins.
         *
         * @param seenTo the sequence after the last frame that arrived.
         * @param windowFrames frames that the source may have in flight: of earlier ones it has
         *     been notified that they arrived.
         */
        Builder(final int seenTo, final int windowFrames) {
            floor = seenTo - windowFrames;
            end = seenTo;
        }

        /**
         * Adds frames after those that were added before. Once there are too many runs, the last
         * one goes on to the end: then a message may be reported although it was released.
         *
         * @param messagesLeft of each, 1 to {@link EndedFlyweight#ALL_MESSAGES}.
         */
        void add(final int firstSequence, final int frames, final int messagesLeft) {
            hasLost = true;
            final int to = firstSequence + frames;
            final int from = firstSequence - floor < 0 ? floor : firstSequence;
            if (to - from <= 0) {
                return;
            }
            if (continues(from, messagesLeft)) {
                runs[count - 2] += to - from;
            } else if (count == runs.length) {
                runs[count - 2] = to - runs[count - RUN_FIELDS];
                runs[count - 1] = EndedFlyweight.ALL_MESSAGES;
            } else {
                runs[count] = from;
                runs[count + 1] = to - from;
                runs[count + 2] = messagesLeft;
                count += RUN_FIELDS;
            }
        }

        private boolean continues(final int from, final int messagesLeft) {
            return count > 0
                    && runs[count - RUN_FIELDS] + runs[count - 2] == from
                    && runs[count - 1] == messagesLeft;
        }

        Tombstone build(final ReceiveFlow flow, final long nowNs) {
            return new Tombstone(flow, this, nowNs);
        }
    }
}
