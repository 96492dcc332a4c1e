package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.Counters;
import io.hxb.session.Sessions;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.health.KernelBacklog;
import io.hxb.trunk.health.TrunkHealth;

import java.util.random.RandomGenerator;

/**
 * What a node knows of its neighbours. Shared by its loops.
 *
 * @param sessions with other nodes.
 * @param discovery finds the neighbours.
 * @param health judges the links to them.
 * @param misconfigurations what is wrong with the cabling.
 */
record NeighbourLinks(
        Sessions sessions,
        Discovery discovery,
        TrunkHealth health,
        MisconfigurationLog misconfigurations) {
    /**
     * Of a node that has heard nobody yet.
     *
     * @param random of the initial sequence numbers, which nobody should predict.
     * @param kernel knows of frames that wait in the kernel.
     * @param counters of the node.
     */
    static NeighbourLinks of(
            final ClusterConfig config,
            final NodeIdentity self,
            final Sessions sessions,
            final RandomGenerator random,
            final KernelBacklog kernel,
            final Port[] ports,
            final Counters counters) {
        final MisconfigurationLog misconfigurationLog = new MisconfigurationLog();
        final long helloIntervalNs = config.frame().helloIntervalNs();
        final TrunkHealth health =
                new TrunkHealth(
                        self,
                        sessions,
                        random,
                        kernel,
                        config.trunk(),
                        helloIntervalNs,
                        ports,
                        counters.ofNode());
        health.setFrameBytes(config.maxFrameBytes());
        return new NeighbourLinks(
                sessions,
                new Discovery(self, sessions, helloIntervalNs, ports, health, misconfigurationLog),
                health,
                misconfigurationLog);
    }
}
