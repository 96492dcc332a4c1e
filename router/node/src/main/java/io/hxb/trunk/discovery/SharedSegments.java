package io.hxb.trunk.discovery;

import io.hxb.trunk.Port;

import java.util.HashMap;
import java.util.Map;

/**
 * Recognizes two links of one trunk that share a switch or cable: a port then hears by turns, of
 * the same node, the port that belongs there and another one. Guarded by the lock of {@link
 * Discovery}.
 */
final class SharedSegments {
    /** Ports that are remembered; more come from strangers. */
    private static final int MAX_PORTS = 4_096;

    /** A cable that is plugged elsewhere and back causes fewer. */
    private static final int MIN_CHANGES = 4;

    /** So many hellos of one port in a row show that the other one is not there. */
    private static final int LONG_RUN = 4;

    private final Map<Place, Heard> byPlace = new HashMap<>();
    private int count;

    /** What is known of a port that does not belong where it is heard. */
    enum Verdict {
        /** Too little was heard to tell. */
        UNKNOWN,
        /** It is heard there in place of the one that belongs there. */
        ALONE,
        /** It is heard there beside the one that belongs there. */
        SHARED
    }

    private record Place(int linkIndex, long source) {}

    /** What a port hears of one node. */
    private static final class Heard {
        private final Map<Integer, Turns> byNumber = new HashMap<>();
    }

    /** How a port and the one that belongs in its place follow each other. */
    private static final class Turns {
        private boolean isInPlace;
        private int run;
        private int changes;

        void on(final boolean isNowInPlace) {
            if (run > 0 && isNowInPlace != isInPlace) {
                changes++;
                run = 0;
            }
            isInPlace = isNowInPlace;
            run++;
            if (run >= LONG_RUN) {
                changes = 0;
            }
        }
    }

    /** A port hears, of another node, the port that belongs there. */
    void onInPlace(final Port port, final long source) {
        heard(port, source).byNumber.values().forEach(turns -> turns.on(true));
    }

    /**
     * A port hears another port of its trunk, of another node.
     *
     * @param number of that port in the trunk.
     */
    Verdict onMisplaced(final Port port, final long source, final int number) {
        final Turns turns = turns(heard(port, source), number);
        if (turns.changes >= MIN_CHANGES) {
            return Verdict.SHARED;
        }
        return turns.run >= LONG_RUN ? Verdict.ALONE : Verdict.UNKNOWN;
    }

    private Heard heard(final Port port, final long source) {
        final Place place = new Place(port.link().index(), source);
        final Heard known = byPlace.get(place);
        if (known != null) {
            return known;
        }
        final Heard heard = new Heard();
        if (byPlace.size() < MAX_PORTS) {
            byPlace.put(place, heard);
        }
        return heard;
    }

    private Turns turns(final Heard heard, final int number) {
        Turns turns = heard.byNumber.get(number);
        if (turns == null) {
            turns = new Turns();
            if (count < MAX_PORTS) {
                count++;
                heard.byNumber.put(number, turns);
            }
        }
        turns.on(false);
        return turns;
    }
}
