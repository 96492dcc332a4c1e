package io.hxb.vlan.health;

/**
 * Probes the witnesses of the default VID, and lets broadcasts leave it when witnesses are not
 * reached there. Owned by the thread of its {@link PathHealth}.
 */
final class WitnessProber {
    private static final long LONG_AGO_NS = 10_000_000_000L;

    private final PeerTable peers;
    private final DefaultVidMonitor defaults;
    private final FailureDetector detector;
    private final PathSelector selector;
    private final ProbeSender sender;

    /** A prober that has probed nothing yet. */
    WitnessProber(
            final PeerTable peers,
            final DefaultVidMonitor defaults,
            final FailureDetector detector,
            final PathSelector selector,
            final ProbeSender sender) {
        this.peers = peers;
        this.defaults = defaults;
        this.detector = detector;
        this.selector = selector;
        this.sender = sender;
    }

    /** Probes the witnesses that are due, while the default VID is watched. */
    void work(final long nowNs) {
        if (!defaults.watch(nowNs)) {
            return;
        }
        final long heardNs = lastHeardNs(nowNs);
        for (int i = 0; i < defaults.count(); i++) {
            final PeerHealth peer = peers.findOrAdd(defaults.host(i), nowNs);
            final VlanPath path = peer.findOrAdd(defaults.used(), nowNs);
            if (path != null) {
                if (defaults.isLookDue(i) && sender.budget().isEasy()) {
                    probe(peer, path, defaults.onLook(i), nowNs);
                }
                if (defaults.isSilent(i, path, heardNs)) {
                    detector.validate(peer, nowNs);
                }
            }
            defaults.replaceIfGone(i, peer);
        }
        selector.selectDefault();
    }

    private long lastHeardNs(final long nowNs) {
        long heardNs = nowNs - LONG_AGO_NS;
        for (int i = 0; i < defaults.count(); i++) {
            final VlanPath path =
                    peers.findOrAdd(defaults.host(i), nowNs).findOrAdd(defaults.used(), nowNs);
            if (path != null) {
                heardNs = Math.max(heardNs, path.heardNs());
            }
        }
        return heardNs;
    }

    private void probe(
            final PeerHealth peer,
            final VlanPath path,
            final boolean isWantedDue,
            final long nowNs) {
        sender.send(peer, path, Probe.LOOK, Probe.NO_ROUND, nowNs);
        final VlanPath wanted = isWantedDue ? peer.findOrAdd(defaults.wanted(), nowNs) : null;
        if (wanted != null) {
            sender.send(peer, wanted, Probe.LOOK, Probe.NO_ROUND, nowNs);
        }
    }
}
