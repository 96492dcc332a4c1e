package io.hxb.trunk.discovery;

import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which neighbours are heard on each link, and descriptions of those that should be and are not.
 * Guarded by the lock of {@link Discovery}.
 */
final class HeardNeighbours {
    private static final long NEVER = Long.MIN_VALUE;

    private final NodeIdentity self;
    private final Port[] ports;
    private final long[][] heardNs;
    // Since when without a pause; while it is heard.
    private final long[][] sinceNs;
    private final int[][] incarnations;
    private final long[][] rivalNs;
    private final long[][] answeredNs;
    // By link: since when neighbours could be heard there, if it is up.
    private final long[] upSinceNs;
    private final boolean[] isUp;
    private int count;
    private int changes;

    /**
     * Nobody has been heard yet.
     *
     * @param ports the node's ports, by link index, {@code [links]}.
     */
    HeardNeighbours(final NodeIdentity self, final Port[] ports) {
        this.self = self;
        this.ports = ports;
        heardNs = new long[ports.length][Shape.MAX_EXTENT];
        sinceNs = new long[ports.length][Shape.MAX_EXTENT];
        incarnations = new int[ports.length][Shape.MAX_EXTENT];
        rivalNs = new long[ports.length][Shape.MAX_EXTENT];
        answeredNs = new long[ports.length][Shape.MAX_EXTENT];
        upSinceNs = new long[ports.length];
        isUp = new boolean[ports.length];
        for (int i = 0; i < ports.length; i++) {
            Arrays.fill(heardNs[i], NEVER);
            Arrays.fill(rivalNs[i], NEVER);
            Arrays.fill(answeredNs[i], NEVER);
        }
    }

    /** A hello arrived; true if it is of a neighbour or incarnation that was not known there. */
    boolean onHello(
            final int linkIndex, final int neighbour, final int incarnation, final long nowNs) {
        final boolean isNew = heardNs[linkIndex][neighbour] == NEVER;
        final boolean isChanged = isNew || incarnations[linkIndex][neighbour] != incarnation;
        heardNs[linkIndex][neighbour] = nowNs;
        if (isNew) {
            rivalNs[linkIndex][neighbour] = NEVER;
            sinceNs[linkIndex][neighbour] = nowNs;
            count++;
            changes++;
        }
        incarnations[linkIndex][neighbour] = incarnation;
        return isChanged;
    }

    /**
     * True if a neighbour that is heard may turn out to be another incarnation at another address
     * now, without having been silent: not sooner after the last time than it takes to forget one.
     */
    boolean mayRestart(
            final int linkIndex,
            final int neighbour,
            final int incarnation,
            final long limitNs,
            final long nowNs) {
        return incarnations[linkIndex][neighbour] != incarnation
                && nowNs - sinceNs[linkIndex][neighbour] > limitNs;
    }

    /** A neighbour that is heard is another incarnation at another address. */
    void onRestart(final int linkIndex, final int neighbour, final long nowNs) {
        sinceNs[linkIndex][neighbour] = nowNs;
        rivalNs[linkIndex][neighbour] = NEVER;
    }

    /**
     * True if a neighbour that asks who is there is to be answered at once: not again within an
     * interval, after which it is greeted anyway. Anybody can repeat its request.
     */
    boolean mayAnswer(
            final int linkIndex, final int neighbour, final long intervalNs, final long nowNs) {
        final long lastNs = answeredNs[linkIndex][neighbour];
        if (lastNs != NEVER && nowNs - lastNs < intervalNs) {
            return false;
        }
        answeredNs[linkIndex][neighbour] = nowNs;
        return true;
    }

    /** True if a neighbour has asked on a link who is there, within the last {@code limitNs}. */
    boolean hasAsked(
            final int linkIndex, final int neighbour, final long limitNs, final long nowNs) {
        final long lastNs = answeredNs[linkIndex][neighbour];
        return lastNs != NEVER && nowNs - lastNs <= limitNs;
    }

    /** Takes in whether links are up; several times within what {@link #silences} waits. */
    void look(final long nowNs) {
        for (int i = 0; i < ports.length; i++) {
            final boolean isUpNow = ports[i].link().isUp();
            if (isUpNow && !isUp[i]) {
                upSinceNs[i] = nowNs;
            }
            isUp[i] = isUpNow;
        }
    }

    /** True if the neighbour was heard on that link within the last {@code limitNs}. */
    boolean isHeard(
            final int linkIndex, final int neighbour, final long limitNs, final long nowNs) {
        final long lastNs = heardNs[linkIndex][neighbour];
        return lastNs != NEVER && nowNs - lastNs <= limitNs;
    }

    /**
     * Somebody with another link address claims to be a neighbour that is heard. A neighbour with a
     * new NIC is no longer heard from its old address, so there are two if the neighbour is heard
     * again after its rival.
     *
     * @return true if there are two.
     */
    boolean onRival(final int linkIndex, final int neighbour, final long nowNs) {
        if (rivalNs[linkIndex][neighbour] == NEVER) {
            rivalNs[linkIndex][neighbour] = nowNs;
        }
        return heardNs[linkIndex][neighbour] - rivalNs[linkIndex][neighbour] > 0;
    }

    /** Forgets the neighbours that have not been heard on a link for longer than that. */
    void expire(final Port port, final long limitNs, final long nowNs) {
        final long[] ofLink = heardNs[port.link().index()];
        final int extent = self.shape().extent(port.dimension());
        for (int neighbour = 0; neighbour < extent; neighbour++) {
            if (ofLink[neighbour] != NEVER && nowNs - ofLink[neighbour] > limitNs) {
                ofLink[neighbour] = NEVER;
                count--;
                changes++;
                port.link().onSilent(neighbour);
            }
        }
        assert count >= 0 : "nobody is forgotten twice: " + count;
    }

    /** Neighbours heard on all links together. */
    int count() {
        return count;
    }

    /** Links on which somebody is heard. */
    int linksWithNeighbours() {
        int links = 0;
        for (int i = 0; i < ports.length; i++) {
            links += count(i) > 0 ? 1 : 0;
        }
        return links;
    }

    /** Neighbours heard on one link. */
    int count(final int linkIndex) {
        int ofLink = 0;
        for (final long heard : heardNs[linkIndex]) {
            ofLink += heard == NEVER ? 0 : 1;
        }
        return ofLink;
    }

    /** Changes whenever a neighbour is heard for the first time or forgotten. */
    int changes() {
        return changes;
    }

    /**
     * Which neighbours are missing: one entry per port, and one per dimension for those that no
     * link hears. Links that have just come up hear their neighbours one after the other: a
     * neighbour is missing on a link that could have heard it for long enough, and on one link of
     * several if another one has heard it for as long.
     *
     * @param limitNs how long that is; 0 for all that are not heard.
     */
    List<MissingNeighbours> silences(final long limitNs, final long nowNs) {
        final List<MissingNeighbours> silences = new ArrayList<>();
        if (self.shape().isAnyCabling()) {
            for (final Port port : ports) {
                if (isTime(port, limitNs, nowNs) && count(port.link().index()) == 0) {
                    silences.add(new MissingNeighbours(true, aloneText(port)));
                }
            }
            return silences;
        }
        for (int dimension = 0; dimension < self.shape().dimensions(); dimension++) {
            final List<Port> trunk = trunk(dimension);
            final List<Port> listening =
                    trunk.stream().filter(port -> isTime(port, limitNs, nowNs)).toList();
            final List<Integer> gone = neighbours(dimension);
            gone.removeIf(neighbour -> trunk.stream().anyMatch(port -> hears(port, neighbour)));
            if (!gone.isEmpty() && !listening.isEmpty()) {
                silences.add(new MissingNeighbours(false, goneText(dimension, trunk, gone)));
            }
            for (final Port port : listening) {
                final List<Integer> missing = neighbours(dimension);
                missing.removeIf(
                        neighbour ->
                                hears(port, neighbour)
                                        || trunk.stream()
                                                .noneMatch(
                                                        other ->
                                                                hasHeard(
                                                                        other, neighbour, limitNs,
                                                                        nowNs)));
                if (!missing.isEmpty()) {
                    silences.add(new MissingNeighbours(true, missingText(port, missing)));
                }
            }
        }
        return silences;
    }

    private boolean isTime(final Port port, final long limitNs, final long nowNs) {
        final int index = port.link().index();
        return !isUp[index] || nowNs - upSinceNs[index] >= limitNs;
    }

    private boolean hasHeard(
            final Port port, final int neighbour, final long limitNs, final long nowNs) {
        final int index = port.link().index();
        return hears(index, neighbour) && nowNs - sinceNs[index][neighbour] >= limitNs;
    }

    private List<Port> trunk(final int dimension) {
        return Arrays.stream(ports).filter(port -> port.dimension() == dimension).toList();
    }

    private List<Integer> neighbours(final int dimension) {
        final List<Integer> neighbours = new ArrayList<>();
        for (int i = 0; i < self.shape().extent(dimension); i++) {
            if (i != Shape.coordinate(self.here(), dimension)) {
                neighbours.add(i);
            }
        }
        return neighbours;
    }

    /** True if a neighbour is heard on a port. */
    boolean hears(final Port port, final int neighbour) {
        return hears(port.link().index(), neighbour);
    }

    /** True if a neighbour has been heard on a link and not been forgotten since. */
    boolean hears(final int linkIndex, final int neighbour) {
        return heardNs[linkIndex][neighbour] != NEVER;
    }

    private static String aloneText(final Port port) {
        return port.label()
                + " ("
                + port.link().name()
                + ") hears no other node: plug a cable into it, or start the node at the other end";
    }

    private String goneText(
            final int dimension, final List<Port> trunk, final List<Integer> neighbours) {
        final boolean isOne = trunk.size() == 1;
        return (isOne
                        ? trunk.getFirst().label() + " does not hear "
                        : "no link of "
                                + trunk.getFirst().label().replaceAll("\\..*", "")
                                + " hears ")
                + names(dimension, neighbours)
                + " from ("
                + self.shape().format(self.here())
                + "): start "
                + (neighbours.size() == 1 ? "that node" : "those nodes")
                + " if not running, else plug "
                + String.join(" ", trunk.stream().map(port -> port.link().name()).toList())
                + " into the switch"
                + (isOne ? "" : "es")
                + " of that line";
    }

    private String missingText(final Port port, final List<Integer> neighbours) {
        return port.label()
                + " of ("
                + self.shape().format(self.here())
                + ") does not hear "
                + names(port.dimension(), neighbours)
                + ", which other links hear: plug the cables of "
                + port.label()
                + " (here "
                + port.link().name()
                + ") at both ends into the switch of that line";
    }

    private String names(final int dimension, final List<Integer> neighbours) {
        final List<String> names = new ArrayList<>();
        for (final int neighbour : neighbours) {
            final long there = Shape.withCoordinate(self.here(), dimension, neighbour);
            names.add("(" + self.shape().format(there) + ")");
        }
        return String.join(" ", names);
    }
}
