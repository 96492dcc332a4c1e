package io.hxb.fuzz;

import io.hxb.context.HostileApplication;
import io.hxb.context.HostileClient;
import io.hxb.flow.HostilePeer;
import io.hxb.forward.HostileFragments;
import io.hxb.frame.FrameTarget;
import io.hxb.link.udp.HostileTrains;
import io.hxb.node.HostileNeighbours;
import io.hxb.session.HostileExchange;
import io.hxb.tool.graph.HostileFiles;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/** What can be fuzzed, by the names that {@code benchmarks/run fuzz} takes. */
public enum FuzzTarget {
    /** Everything that parses frames, beside a reference. */
    FRAMES(FrameTarget::run, false),

    /** Flows whose peer sends what an input contains. */
    FLOWS(HostilePeer::run, false),

    /** Discovery and the health of links, among neighbours that lie and strangers. */
    NEIGHBOURS(HostileNeighbours::run, true),

    /** The same in a cluster with a key. */
    SEALED(HostileNeighbours::runSealed, true),

    /** The protocol of the node's Unix socket. */
    ATTACH(HostileClient::run, true),

    /** Memory that an application shares with its node. */
    APPLICATION(HostileApplication::run, true),

    /** Every file that the tools read. */
    FILES(HostileFiles::run, true),

    /** The sessions of two nodes with a key, between whom an attacker sits. */
    SESSIONS(HostileExchange::run, false),

    /** Trains of datagrams that are cut anywhere, at a UDP link. */
    TRAINS(HostileTrains::run, true),

    /**
     * Pieces of long frames, as fragments and as segments, at a node that joins and relays them.
     */
    FRAGMENTS(HostileFragments::run, false);

    private static final long CLOSE_LIMIT_NS = 10_000_000_000L;
    private static final Set<FuzzTarget> PREPARED = EnumSet.noneOf(FuzzTarget.class);
    private static Leftovers leftovers;

    @SuppressWarnings("ImmutableEnumChecker") // a method of a class
    private final Consumer<byte[]> body;

    private final boolean isOpening;

    /**
     * A target.
     *
     * @param body runs an input.
     * @param isOpening true if it opens descriptors or maps memory, which then must be gone after
     *     each run.
     */
    FuzzTarget(final Consumer<byte[]> body, final boolean isOpening) {
        this.body = body;
        this.isOpening = isOpening;
    }

    /**
     * Runs an input.
     *
     * @throws AssertionError or another failure, if something is wrong.
     */
    public void run(final byte[] input) {
        if (!isOpening) {
            body.accept(input);
            return;
        }
        if (leftovers == null) {
            leftovers = new Leftovers(CLOSE_LIMIT_NS);
        }
        if (PREPARED.add(this)) {
            leftovers.prepare(() -> body.accept(new byte[0]));
        }
        body.accept(input);
        leftovers.check();
    }

    /** The target of a name in lower case. */
    public static FuzzTarget of(final String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
