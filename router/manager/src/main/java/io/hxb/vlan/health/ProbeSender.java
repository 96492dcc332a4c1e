package io.hxb.vlan.health;

import io.hxb.config.PathHealthConfig;
import io.hxb.vlan.HostTable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Writes, seals and sends the probes of a host, as many as its budget allows. Owned by the thread
 * of its {@link PathHealth}.
 */
final class ProbeSender {
    private static final long SECOND_NS = 1_000_000_000L;

    private final HostTable table;
    private final long fingerprint;
    private final int here;
    private final PathHealthConfig config;
    private final ProbeSeals seals;
    private final long incarnation;
    private final ProbeLink link;
    private final HealthTally tally;
    private final ProbeBudget budget;
    private final Probe out = new Probe();
    private final MemorySegment buffer = Arena.ofAuto().allocate(Probe.MAX_LENGTH, Long.BYTES);
    private long intervalNs;

    /**
     * A sender that has sent nothing yet.
     *
     * @param here number of this host.
     * @param incarnation of this host.
     */
    ProbeSender(
            final HostTable table,
            final int here,
            final PathHealthConfig config,
            final ProbeSeals seals,
            final long incarnation,
            final ProbeLink link,
            final HealthTally tally,
            final long nowNs) {
        this.table = table;
        fingerprint = table.fingerprint();
        this.here = here;
        this.config = config;
        this.seals = seals;
        this.incarnation = incarnation;
        this.link = link;
        this.tally = tally;
        budget = new ProbeBudget(config.framesPerSecond(), nowNs);
        intervalNs = config.heartbeatNs();
    }

    ProbeBudget budget() {
        return budget;
    }

    /** Time between two probes of a path in use, in ns. */
    long intervalNs() {
        return intervalNs;
    }

    /** Sets that time such that the budget suffices for so many pairs with traffic. */
    void setPairCount(final int pairs) {
        final long pairsNs = 2 * SECOND_NS / config.framesPerSecond() * pairs;
        intervalNs = Math.max(config.heartbeatNs(), pairsNs);
    }

    /** True if there are too many pairs to probe each at every heartbeat. */
    boolean isSlowed() {
        return intervalNs > config.heartbeatNs();
    }

    /** Sends a probe to a host that is known, unless the budget is spent. */
    void send(
            final PeerHealth peer,
            final VlanPath path,
            final int flags,
            final int round,
            final long nowNs) {
        if (!budget.take()) {
            tally.withheld();
            return;
        }
        final PairUse use = peer.use();
        out.wrap(buffer.address(), Probe.MAX_LENGTH)
                .clear()
                .table(fingerprint)
                .incarnations(incarnation, peer.address())
                .number(peer.nextNumber())
                .hosts(here, peer.host())
                .vids(path.vid(), peer.used(), peer.wanted())
                .intervalNs(use.isActive(nowNs) ? intervalNs : 0)
                .sent(path.send())
                .flags(flags | (use.hasTraffic(nowNs) ? Probe.IN_USE : 0), round);
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath each = peer.paths().get(i);
            out.add(each.vid(), each.state());
        }
        seals.seal(out);
        tally.sent();
        link.send(peer.mac(), path.vid(), out.address(), out.length());
    }

    /** Reports to a host at once what has changed, on each path where it can be heard. */
    void report(final PeerHealth peer, final long nowNs) {
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath path = peer.paths().get(i);
            if (path.vid() == peer.used() || path.isProven()) {
                send(peer, path, 0, 0, nowNs);
            }
        }
    }

    /** Answers a host that does not know the incarnation of this one; it learns nothing else. */
    void greet(final Probe in) {
        if (budget.isEasy() && budget.take()) {
            out.wrap(buffer.address(), Probe.MAX_LENGTH)
                    .clear()
                    .table(fingerprint)
                    .incarnations(incarnation, in.senderIncarnation())
                    .hosts(here, in.sender())
                    .vids(in.vid(), 0, 0);
            seals.seal(out);
            tally.sent();
            link.send(table.mac(in.sender()), in.vid(), out.address(), out.length());
        }
    }
}
