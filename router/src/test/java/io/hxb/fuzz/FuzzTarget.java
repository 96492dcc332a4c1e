package io.hxb.fuzz;

import io.hxb.context.HostileApplication;
import io.hxb.context.HostileClient;
import io.hxb.flow.HostilePeer;
import io.hxb.frame.FrameTarget;
import io.hxb.node.HostileNeighbours;
import io.hxb.tool.graph.HostileFiles;

import java.util.Locale;
import java.util.function.Consumer;

/** What can be fuzzed, by the names that {@code benchmarks/run fuzz} takes. */
public enum FuzzTarget {
    /** Everything that parses frames, beside a reference. */
    FRAMES(FrameTarget::run),

    /** Flows whose peer sends whatever an input says. */
    FLOWS(HostilePeer::run),

    /** Discovery and the health of links, among neighbours that lie and strangers. */
    NEIGHBOURS(HostileNeighbours::run),

    /** The protocol of the node's Unix socket. */
    ATTACH(HostileClient::run),

    /** Memory that an application shares with its node. */
    APPLICATION(HostileApplication::run),

    /** Every file that the tools read. */
    FILES(HostileFiles::run);

    @SuppressWarnings("ImmutableEnumChecker") // a method of a class
    private final Consumer<byte[]> body;

    FuzzTarget(final Consumer<byte[]> body) {
        this.body = body;
    }

    /**
     * Runs an input.
     *
     * @throws AssertionError or another failure, if something is wrong.
     */
    public void run(final byte[] input) {
        body.accept(input);
    }

    /** The target of a name in lower case. */
    public static FuzzTarget of(final String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
