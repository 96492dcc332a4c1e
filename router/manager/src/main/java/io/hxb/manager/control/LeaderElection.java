package io.hxb.manager.control;

import java.util.List;
import java.util.Random;

/**
 * Whether this server controls the network: it does while more than half of all managers have given
 * it their lease. Of several servers at most one does; the others wait. Owned by the control.
 */
final class LeaderElection {
    private static final int MAX_PAUSE_ROUNDS = 4;

    private final long owner;
    private final int leaseMs;
    private final Random random;
    private long generation;
    private boolean isLeader;
    private int pauseRounds;
    private long terms;

    /**
     * A server that does not lead yet.
     *
     * @param owner distinguishes servers; not 0.
     * @param leaseMs for how long managers give their lease.
     */
    LeaderElection(final long owner, final int leaseMs) {
        if (owner == 0) {
            throw new IllegalArgumentException("0 is nobody");
        }
        this.owner = owner;
        this.leaseMs = leaseMs;
        random = new Random(owner);
    }

    boolean isLeader() {
        return isLeader;
    }

    long generation() {
        return generation;
    }

    /** How often it has become the leader. */
    long terms() {
        return terms;
    }

    private static int majority(final List<ManagedHost> hosts) {
        return hosts.size() / 2 + 1;
    }

    /**
     * Takes or renews leases, after all hosts were visited.
     *
     * @param hosts all of the network.
     * @param visited those that can be talked to now.
     */
    void round(
            final HostRunner runner,
            final List<ManagedHost> hosts,
            final List<ManagedHost> visited) {
        if (!isLeader && !isTimeToTry(hosts)) {
            return;
        }
        if (!isLeader) {
            generation =
                    1
                            + Math.max(
                                    generation,
                                    hosts.stream()
                                            .mapToLong(host -> host.lease().generation())
                                            .max()
                                            .orElse(0));
        }
        runner.run(visited, host -> host.lease(owner, generation, leaseMs));
        final boolean hasMajority = own(hosts) >= majority(hosts);
        if (hasMajority) {
            terms += isLeader ? 0 : 1;
            isLeader = true;
        } else {
            isLeader = false;
            giveUp(runner, visited);
            pauseRounds = 1 + random.nextInt(MAX_PAUSE_ROUNDS);
        }
    }

    private boolean isTimeToTry(final List<ManagedHost> hosts) {
        if (pauseRounds > 0) {
            pauseRounds--;
            return false;
        }
        return hosts.stream()
                        .filter(host -> host.problem() == ManagedHost.Problem.NONE)
                        .filter(host -> host.lease().isFree())
                        .count()
                >= majority(hosts);
    }

    private static long own(final List<ManagedHost> hosts) {
        return hosts.stream().filter(host -> host.lease().isOwn()).count();
    }

    /** Gives back all leases, which undoes what was set under them. */
    void giveUp(final HostRunner runner, final List<ManagedHost> hosts) {
        isLeader = false;
        runner.run(
                hosts.stream().filter(host -> host.lease().isOwn()).toList(),
                host -> host.lease(owner, generation, 0));
    }
}
