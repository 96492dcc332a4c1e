package io.hxb.trunk.discovery;

import io.hxb.trunk.Port;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Recognizes two cables of one node that are plugged the wrong way round: each of two ports hears,
 * of the same node, the one that belongs to the other. Guarded by the lock of {@link Discovery}.
 */
final class InterchangedCables {
    /** Nodes that are remembered for a port; more come from strangers. */
    private static final int MAX_SOURCES = 256;

    private final Map<Integer, Heard> byLink = new HashMap<>();

    /** Where the cables are interchanged. */
    enum Place {
        /** At this node. */
        HERE,
        /** At the other one. */
        THERE,
        /** At one of both. */
        EITHER
    }

    /**
     * Two ports with each other's cables.
     *
     * @param other the port whose cable the first one has.
     */
    record Pair(Port other, Place place) {}

    private static final class Heard {
        private final Port port;
        private final Map<Long, String> misplaced = new HashMap<>();
        private final Set<Long> inPlace = new HashSet<>();

        Heard(final Port port) {
            this.port = port;
        }
    }

    /** A port hears a neighbour that belongs there. */
    void onInPlace(final Port port, final long source) {
        final Heard heard = heard(port);
        heard.misplaced.remove(source);
        if (heard.inPlace.size() < MAX_SOURCES) {
            heard.inPlace.add(source);
        }
    }

    /**
     * A port hears a port of another node that does not belong there.
     *
     * @param otherLabel that of the other port.
     * @return null if that is not because two cables are interchanged, or not known yet.
     */
    Pair onMisplaced(final Port port, final long source, final String otherLabel) {
        final Heard heard = heard(port);
        heard.inPlace.remove(source);
        if (heard.misplaced.size() < MAX_SOURCES) {
            heard.misplaced.put(source, otherLabel);
        }
        for (final Heard second : byLink.values()) {
            if (second.port.label().equals(otherLabel)
                    && port.label().equals(second.misplaced.get(source))) {
                return new Pair(second.port, place(heard, second));
            }
        }
        return null;
    }

    // A port that hears others in their place is in its own.
    private static Place place(final Heard first, final Heard second) {
        if (!first.inPlace.isEmpty() && !second.inPlace.isEmpty()) {
            return Place.THERE;
        }
        final boolean isSeenBySeveral = first.misplaced.size() > 1 && second.misplaced.size() > 1;
        return isSeenBySeveral ? Place.HERE : Place.EITHER;
    }

    private Heard heard(final Port port) {
        return byLink.computeIfAbsent(port.link().index(), _ -> new Heard(port));
    }
}
