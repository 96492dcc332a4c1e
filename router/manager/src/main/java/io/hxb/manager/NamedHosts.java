package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.Tagger;

/**
 * The hosts that requests name: by number, link address, IP address, or rank of a session. Without
 * state of its own.
 */
final class NamedHosts {
    /** No host. */
    static final int NONE = -1;

    private final HostPaths paths;
    private final Tagger tagger;
    private final KernelState kernelState;
    private final long ownMac;

    /**
     * Prepares to look hosts up.
     *
     * @param ownMac link address of this host.
     */
    NamedHosts(
            final HostPaths paths,
            final Tagger tagger,
            final KernelState kernelState,
            final long ownMac) {
        this.paths = paths;
        this.tagger = tagger;
        this.kernelState = kernelState;
        this.ownMac = ownMac;
    }

    /** The host that a request names; {@link #NONE} if there is none, or it is this one. */
    int peer(final ManagerSession session, final ManagerMessage request) {
        final int host =
                request.kind() == ManagerMessage.PeerKind.RANK
                        ? session.hostOf(request.peerNumber())
                        : any(request);
        return isHost(host) && host != paths.here() ? host : NONE;
    }

    /** The same, this host included: some of a job's ranks run here. Ranks are no names here. */
    int any(final ManagerMessage request) {
        final int host =
                switch (request.kind()) {
                    case HOST -> request.peerNumber();
                    case MAC -> hostOf(request.peerMac());
                    case IP -> hostOf(kernelState.macOf(request.peerBytes()));
                    case NONE, RANK -> NONE;
                };
        return isHost(host) ? host : NONE;
    }

    private boolean isHost(final int host) {
        return host >= 0 && host < paths.hostCount();
    }

    private int hostOf(final long mac) {
        return mac == ownMac ? paths.here() : tagger.hostOf(mac);
    }
}
