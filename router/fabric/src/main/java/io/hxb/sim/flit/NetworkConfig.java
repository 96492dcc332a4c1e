package io.hxb.sim.flit;

/**
 * How switches, links and hosts are built. A header needs {@code switchCycles + linkCycles} from
 * one switch to the next. Immutable.
 *
 * @param lanes virtual channels of each channel, 1 to 64.
 * @param bufferFlits flits that the buffer of one lane holds.
 * @param switching when packets may leave a switch.
 * @param switchCycles cycles in a switch, routing and crossbar, 0 or more.
 * @param allocationCycles cycles from getting a virtual channel until the first flit may move, 0 or
 *     more; in the meantime no other packet has it.
 * @param linkCycles cycles on a link between switches, at least 1.
 * @param hostLinkCycles cycles on a link of a host, at least 1.
 * @param creditCycles cycles until the sender of a lane knows of a freed place, at least 1.
 * @param linkWidth flits that a link between switches takes each cycle, above 0 and at most 1;
 *     links whose rate the graph names are slower in proportion to the fastest.
 * @param isPacketwise whether a channel stays with one packet until that is blocked, instead of
 *     taking a flit of each in turn.
 * @param arbitration who is first when several want one output.
 * @param isExclusive whether a lane takes the next packet only when its buffer is empty, instead of
 *     when the tail has been sent.
 * @param hasLaneCrossbar whether all lanes of an input may send in one cycle, instead of one.
 * @param queuePackets packets that a host's queue holds, 0 for any number; more are refused.
 */
public record NetworkConfig(
        int lanes,
        int bufferFlits,
        Switching switching,
        int switchCycles,
        int allocationCycles,
        int linkCycles,
        int hostLinkCycles,
        int creditCycles,
        double linkWidth,
        boolean isPacketwise,
        Arbitration arbitration,
        boolean isExclusive,
        boolean hasLaneCrossbar,
        int queuePackets) {
    /** The thesis' conditions: cut-through, one lane of 128 flits, three cycles a hop. */
    public static final NetworkConfig DEFAULTS =
            new NetworkConfig(
                    1,
                    128,
                    Switching.CUT_THROUGH,
                    2,
                    0,
                    1,
                    1,
                    1,
                    1.0,
                    false,
                    Arbitration.ROUND_ROBIN,
                    false,
                    false,
                    0);

    /** Who is first when several want one output. */
    public enum Arbitration {
        /** Each in turn. */
        ROUND_ROBIN,
        /** The packet that was made first. */
        OLDEST,
        /** Any. */
        RANDOM
    }

    /** Checks the ranges. */
    public NetworkConfig {
        check(lanes >= 1 && lanes <= 64, "virtual channels must be 1..64: " + lanes);
        check(
                bufferFlits >= 1 && bufferFlits <= 1 << 20,
                "the buffer must hold 1..1048576 flits: " + bufferFlits);
        check(
                switchCycles >= 0 && switchCycles <= 1000,
                "cycles in a switch must be 0..1000: " + switchCycles);
        check(
                allocationCycles >= 0 && allocationCycles <= 1000,
                "cycles after allocation must be 0..1000: " + allocationCycles);
        check(
                linkCycles >= 1 && linkCycles <= 10_000,
                "cycles on a link must be 1..10000: " + linkCycles);
        check(
                hostLinkCycles >= 1 && hostLinkCycles <= 10_000,
                "cycles on a host's link must be 1..10000: " + hostLinkCycles);
        check(
                creditCycles >= 1 && creditCycles <= 10_000,
                "cycles of a credit must be 1..10000: " + creditCycles);
        check(
                linkWidth >= 0.001 && linkWidth <= 1,
                "the width of links must be 0.001..1 flits a cycle: " + linkWidth);
        check(
                queuePackets >= 0 && queuePackets <= 1 << 20,
                "a host's queue must hold 0 (any number) to 1048576 packets: " + queuePackets);
    }

    private static void check(final boolean isFine, final String problem) {
        if (!isFine) {
            throw new SimulationException(problem);
        }
    }

    /** The same with other lanes and buffers. */
    public NetworkConfig withBuffers(final int laneCount, final int flits) {
        final Draft draft = new Draft(this);
        draft.lanes = laneCount;
        draft.bufferFlits = flits;
        return draft.finish();
    }

    /** The same with another way of switching; wormhole lanes become exclusive. */
    public NetworkConfig withSwitching(final Switching other) {
        final Draft draft = new Draft(this);
        draft.switching = other;
        draft.isExclusive = other == Switching.WORMHOLE;
        return draft.finish();
    }

    /** The same with other times. */
    public NetworkConfig withCycles(
            final int inSwitch, final int inAllocation, final int onLink, final int onHostLink) {
        final Draft draft = new Draft(this);
        draft.switchCycles = inSwitch;
        draft.allocationCycles = inAllocation;
        draft.linkCycles = onLink;
        draft.hostLinkCycles = onHostLink;
        return draft.finish();
    }

    /** The same with another time until a freed place is known. */
    public NetworkConfig withCredits(final int cycles) {
        final Draft draft = new Draft(this);
        draft.creditCycles = cycles;
        return draft.finish();
    }

    /** The same with links of another width. */
    public NetworkConfig withLinkWidth(final double flitsPerCycle) {
        final Draft draft = new Draft(this);
        draft.linkWidth = flitsPerCycle;
        return draft.finish();
    }

    /** The same with another length of the hosts' queues. */
    public NetworkConfig withQueue(final int packets) {
        final Draft draft = new Draft(this);
        draft.queuePackets = packets;
        return draft.finish();
    }

    /** The same with lanes that take the next packet at once, or only when they are empty. */
    public NetworkConfig withExclusive(final boolean exclusive) {
        final Draft draft = new Draft(this);
        draft.isExclusive = exclusive;
        return draft.finish();
    }

    /** The same with inputs all of whose lanes may send in one cycle. */
    public NetworkConfig withLaneCrossbar() {
        final Draft draft = new Draft(this);
        draft.hasLaneCrossbar = true;
        return draft.finish();
    }

    /** A configuration in the making; what is not set is as in another one. */
    private static final class Draft {
        private final NetworkConfig base;
        private int lanes;
        private int bufferFlits;
        private Switching switching;
        private int switchCycles;
        private int allocationCycles;
        private int linkCycles;
        private int hostLinkCycles;
        private int creditCycles;
        private double linkWidth;
        private boolean isExclusive;
        private boolean hasLaneCrossbar;
        private int queuePackets;

        private Draft(final NetworkConfig base) {
            this.base = base;
            lanes = base.lanes;
            bufferFlits = base.bufferFlits;
            switching = base.switching;
            switchCycles = base.switchCycles;
            allocationCycles = base.allocationCycles;
            linkCycles = base.linkCycles;
            hostLinkCycles = base.hostLinkCycles;
            creditCycles = base.creditCycles;
            linkWidth = base.linkWidth;
            isExclusive = base.isExclusive;
            hasLaneCrossbar = base.hasLaneCrossbar;
            queuePackets = base.queuePackets;
        }

        private NetworkConfig finish() {
            return new NetworkConfig(
                    lanes,
                    bufferFlits,
                    switching,
                    switchCycles,
                    allocationCycles,
                    linkCycles,
                    hostLinkCycles,
                    creditCycles,
                    linkWidth,
                    base.isPacketwise,
                    base.arbitration,
                    isExclusive,
                    hasLaneCrossbar,
                    queuePackets);
        }
    }
}
