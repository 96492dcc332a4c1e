package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Answers what only asks: hosts, paths, traffic, NICs and counts. Without state of its own. */
final class HostAnswers {
    private final long fingerprint;
    private final HostPaths paths;
    private final Tagger tagger;
    private final PathClaims claims;
    private final NamedHosts hosts;
    private final KernelState kernelState;
    private final ManagerCounts counts;

    /**
     * Prepares to answer.
     *
     * @param fingerprint of the plan.
     */
    HostAnswers(
            final long fingerprint,
            final HostPaths paths,
            final Tagger tagger,
            final PathClaims claims,
            final NamedHosts hosts,
            final KernelState kernelState,
            final ManagerCounts counts) {
        this.fingerprint = fingerprint;
        this.paths = paths;
        this.tagger = tagger;
        this.claims = claims;
        this.hosts = hosts;
        this.kernelState = kernelState;
        this.counts = counts;
    }

    Status hello(final HostTable table, final ManagerMessage reply) {
        reply.vid(tagger.vid(Tagger.OTHERS))
                .wantedDefaultVid(paths.wantedOfOthers())
                .index(paths.here())
                .fingerprint(fingerprint)
                .value(0, table.mac(paths.here()))
                .value(1, paths.hostCount())
                .value(2, table.vids().size());
        return Status.OK;
    }

    Status host(final HostTable table, final ManagerMessage request, final ManagerMessage reply) {
        final int host = request.index();
        if (host < 0 || host >= paths.hostCount()) {
            return Status.END_OF_LIST;
        }
        final HostRow row = table.rows().get(host);
        reply.index(host).vid(row.vid()).hostName(row.name()).value(0, row.mac());
        return Status.OK;
    }

    Status get(
            final ManagerSession session,
            final ManagerMessage request,
            final ManagerMessage reply) {
        final int host = hosts.peer(session, request);
        if (host == NamedHosts.NONE) {
            return Status.NO_SUCH_HOST;
        }
        reply.index(host)
                .vid(tagger.vid(host))
                .wantedVid(paths.wanted(host))
                .value(0, paths.tableVid(host))
                .value(1, paths.peerVid(host) == 0 ? tagger.heardVid(host) : paths.peerVid(host))
                .value(2, claims.claimed(session.id(), host));
        return Status.OK;
    }

    Status traffic(
            final ManagerSession session,
            final ManagerMessage request,
            final ManagerMessage reply) {
        for (int host = Math.max(0, request.index()); host < paths.hostCount(); host++) {
            if (host != paths.here() && tagger.sentFrames(host) > 0) {
                reply.index(host)
                        .vid(tagger.vid(host))
                        .value(0, tagger.sentBytes(host))
                        .value(1, tagger.sentFrames(host))
                        .value(2, state(session, host));
                return Status.OK;
            }
        }
        return Status.END_OF_LIST;
    }

    /** What a management server has to know about a pair besides its traffic. */
    private long state(final ManagerSession session, final int host) {
        return paths.tableVid(host)
                | (long) tagger.heardVid(host) << Short.SIZE
                | (claims.others(session.id(), host) > 0 ? ManagerMessage.CLAIMED : 0);
    }

    Status vidTraffic(
            final HostTable table, final ManagerMessage request, final ManagerMessage reply) {
        final int index = request.index();
        if (index < 0 || index >= table.vids().size()) {
            return Status.END_OF_LIST;
        }
        final int vid = table.vids().get(index);
        final Tagger.VidTraffic traffic = tagger.traffic(vid);
        reply.index(index)
                .vid(vid)
                .value(0, traffic.sentBytes())
                .value(1, traffic.sentFrames())
                .value(2, traffic.receivedBytes());
        return Status.OK;
    }

    Status nic(final ManagerMessage request, final ManagerMessage reply) {
        final List<KernelState.NicState> nics = kernelState.nics();
        final int index = request.index();
        if (index < 0 || index >= nics.size()) {
            return Status.END_OF_LIST;
        }
        final KernelState.NicState nic = nics.get(index);
        reply.index(index)
                .name(nic.name().getBytes(StandardCharsets.UTF_8))
                .value(0, nic.mac())
                .value(1, nic.mtuBytes())
                .value(2, (nic.isUp() ? 1 : 0) | (long) nic.foreignPrograms() << Integer.SIZE);
        return Status.OK;
    }

    Status count(final ManagerMessage request, final ManagerMessage reply) {
        final ManagerCount count = ManagerCount.of(request.index());
        if (count == null) {
            return Status.END_OF_LIST;
        }
        reply.index(request.index()).hostName(count.key()).value(0, counts.value(count));
        return Status.OK;
    }
}
