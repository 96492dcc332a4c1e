package io.hxb.sim.flit;

import java.util.Arrays;

/** The sums that must hold after every cycle. Used by one thread. */
final class Conservation {
    private final FlitNetwork net;
    private final Packets packets;
    private final int[] onTheWay;
    private final int[] creditsOnTheWay;

    Conservation(
            final FlitNetwork net,
            final Packets packets,
            final IntWheel arrivals,
            final IntWheel credits) {
        this.net = net;
        this.packets = packets;
        this.onTheWay = new int[net.laneCount];
        this.creditsOnTheWay = new int[net.laneCount];
        arrivals.tally(onTheWay);
        credits.tally(creditsOnTheWay);
    }

    /** Checks everything. */
    void check(final Hosts hosts, final long accepted) {
        checkFlits(hosts, accepted);
        for (int lane = 0; lane < net.bufferedLanes; lane++) {
            checkCredits(lane);
        }
        checkOwners(hosts);
        checkMasks();
    }

    private void checkFlits(final Hosts hosts, final long accepted) {
        long inside = 0;
        for (int lane = 0; lane < net.laneCount; lane++) {
            inside += onTheWay[lane] + (lane < net.bufferedLanes ? net.ready[lane] : 0);
        }
        long reinjected = 0;
        // Flits relayed by hosts were sent twice; the second time counts only what is on its way.
        for (int host = 0; host < net.graph.hostCount(); host++) {
            reinjected += net.flits[net.firstEjection + host];
        }
        long arrived = 0;
        for (int lane = net.bufferedLanes; lane < net.laneCount; lane++) {
            arrived -= onTheWay[lane];
        }
        arrived += reinjected;
        require(
                hosts.sent() == arrived + inside,
                "hosts sent "
                        + hosts.sent()
                        + " flits, "
                        + arrived
                        + " reached hosts and "
                        + inside
                        + " are inside");
        require(accepted <= arrived, "more flits were accepted than arrived");
    }

    private void checkCredits(final int lane) {
        final int sum =
                net.credits[lane] + net.ready[lane] + onTheWay[lane] + creditsOnTheWay[lane];
        require(
                sum == net.config.bufferFlits(),
                net.name(lane) + " has " + sum + " places, not " + net.config.bufferFlits());
        require(net.credits[lane] >= 0, net.name(lane) + " has a negative credit");
    }

    private void checkOwners(final Hosts hosts) {
        final boolean[] isOwner = new boolean[net.laneCount + net.graph.hostCount()];
        for (int lane = 0; lane < net.laneCount; lane++) {
            final int owner = net.owner[lane];
            if (owner == FlitNetwork.NONE) {
                continue;
            }
            require(!isOwner[owner], "owner " + owner + " has two lanes");
            isOwner[owner] = true;
            final int has =
                    owner >= net.laneCount ? hosts.lane(owner - net.laneCount) : output(owner);
            require(has == lane, net.name(lane) + " is owned by who does not know it");
            if (owner < net.laneCount) {
                require(
                        net.packet(owner, 0) == net.packet(lane, net.count[lane] - 1),
                        net.name(lane) + " and its owner hold different packets");
            }
        }
        for (int lane = 0; lane < net.bufferedLanes; lane++) {
            require(
                    output(lane) == FlitNetwork.NONE || net.owner[output(lane)] == lane,
                    net.name(lane) + " feeds a lane of somebody else");
        }
    }

    /** The lane that a lane's first packet has, whether it may move yet or not. */
    private int output(final int lane) {
        final int output = net.output[lane];
        return output < FlitNetwork.NONE ? -2 - output : output;
    }

    private void checkMasks() {
        final boolean[] isKnown = new boolean[Math.max(1, packets.length.length)];
        Arrays.fill(isKnown, true);
        for (int lane = 0; lane < net.bufferedLanes; lane++) {
            final int to = net.output[lane];
            final boolean canMove = to >= 0 && net.ready[lane] > 0 && net.credits[to] > 0;
            final int channel = net.channelOf[lane];
            final boolean isMarked = (net.sendable[channel] >>> (lane % net.lanes) & 1) != 0;
            require(canMove == isMarked, net.name(lane) + " is wrongly marked as ready to send");
            require(
                    net.count[lane] <= net.ringMask + 1
                            && (net.count[lane] == 0 || isKnown[net.packet(lane, 0)]),
                    net.name(lane) + " holds too many packets");
        }
    }

    private static void require(final boolean isTrue, final String problem) {
        if (!isTrue) {
            throw new IllegalStateException(problem);
        }
    }
}
