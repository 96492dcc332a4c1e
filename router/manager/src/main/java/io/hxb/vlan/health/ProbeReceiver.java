package io.hxb.vlan.health;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;

/**
 * Checks the probes that come in: those of this network, for this host, with a valid seal, from the
 * incarnation that is known. Owned by the thread of its {@link PathHealth}.
 */
final class ProbeReceiver {
    private final HostTable table;
    private final long fingerprint;
    private final HostPaths paths;
    private final ProbeSeals seals;
    private final long incarnation;
    private final PeerTable peers;
    private final ProbeSender sender;
    private final HealthTally tally;
    private final Probe in = new Probe();

    /**
     * A receiver that has received nothing yet.
     *
     * @param incarnation of this host.
     */
    ProbeReceiver(
            final HostTable table,
            final HostPaths paths,
            final ProbeSeals seals,
            final long incarnation,
            final PeerTable peers,
            final ProbeSender sender,
            final HealthTally tally) {
        this.table = table;
        fingerprint = table.fingerprint();
        this.paths = paths;
        this.seals = seals;
        this.incarnation = incarnation;
        this.peers = peers;
        this.sender = sender;
        this.tally = tally;
    }

    /** The frame that came in last. */
    Probe probe() {
        return in;
    }

    /**
     * Takes a frame, and greets a sender that does not know this incarnation.
     *
     * @param mac address of its sender, first byte highest.
     * @param address its bytes from the EtherType on.
     * @param lengthBytes how many.
     * @return the sender of a probe that counts; null if it is a greeting, or refused.
     */
    PeerHealth receive(
            final long mac, final long address, final int lengthBytes, final long nowNs) {
        in.wrap(address, lengthBytes);
        if (!in.isWellFormed() || !isOurs(mac) || !seals.isValid(in)) {
            tally.refused();
            return null;
        }
        final boolean isToOther = in.receiverIncarnation() != incarnation;
        if (isToOther || in.number() == 0) {
            onGreeting(isToOther);
            return null;
        }
        final PeerHealth peer = peers.findOrAdd(in.sender(), nowNs);
        if (!peer.onFrame(in, nowNs)) {
            tally.refused();
            return null;
        }
        tally.received();
        return peer;
    }

    private boolean isOurs(final long mac) {
        final int sent = in.sender();
        return in.table() == fingerprint
                && in.receiver() == paths.here()
                && sent != paths.here()
                && sent < table.rows().size()
                && table.mac(sent) == mac
                && paths.isPlanned(in.vid());
    }

    private void onGreeting(final boolean isToOther) {
        tally.received();
        final PeerHealth known = peers.find(in.sender());
        if (known != null) {
            known.onGreeting(in.senderIncarnation());
        }
        if (isToOther) {
            sender.greet(in);
        }
    }
}
