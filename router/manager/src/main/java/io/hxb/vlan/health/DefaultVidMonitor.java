package io.hxb.vlan.health;

import io.hxb.config.PathHealthConfig;
import io.hxb.vlan.HostPaths;

import java.util.List;

/**
 * The default VID of a host, in which its broadcasts go and what it sends to hosts outside of the
 * plan: looks whether witnesses are reached there, and which VID reaches most of them if they are
 * not. It is watched while something is sent there, and as long as another VID stands in for it.
 * Owned by the thread of its {@link PathHealth}.
 */
final class DefaultVidMonitor {
    private static final long LINGER_NS = 2_000_000_000L;
    private static final long GONE_NS = 1_000_000_000L;
    private static final long LONG_AGO_NS = 3_600_000_000_000L;

    /** Time between two looks at all, so that many witnesses are asked less often each. */
    private static final long MIN_STEP_NS = 2_500_000;

    /** The VID that is dead is looked at once in so many looks at the one that is used. */
    private static final int LOOKS_OF_WANTED = 10;

    private final Witnesses witnesses;
    private final HostPaths paths;
    private final List<Integer> vids;
    private final PathHealthConfig config;
    private final long order;
    private final int[] turns;
    private final long[] sinceNs;
    private final long[] nextNs;
    private final int[] looks;
    private long trafficNs;
    private long nowNs;
    private boolean isWatched;
    private int wanted;
    private int used;

    DefaultVidMonitor(
            final Witnesses witnesses,
            final HostPaths paths,
            final List<Integer> vids,
            final PathHealthConfig config,
            final long nowNs) {
        this.witnesses = witnesses;
        this.paths = paths;
        this.vids = vids;
        this.config = config;
        this.nowNs = nowNs;
        order = (long) paths.here() << Integer.SIZE | paths.here();
        turns = new int[witnesses.count()];
        sinceNs = new long[turns.length];
        nextNs = new long[turns.length];
        looks = new int[turns.length];
        trafficNs = nowNs - LONG_AGO_NS;
        wanted = paths.wantedOfOthers();
        used = wanted;
    }

    /** Something was sent in the default VID. */
    void onTraffic(final long now) {
        trafficNs = now;
    }

    /** Takes the time; true if the witnesses are to be asked. */
    boolean watch(final long now) {
        nowNs = now;
        if (wanted != paths.wantedOfOthers()) {
            used = used == wanted ? paths.wantedOfOthers() : used;
            wanted = paths.wantedOfOthers();
        }
        final boolean wasWatched = isWatched;
        isWatched = hasTraffic() || hasMoved();
        for (int i = 0; isWatched && !wasWatched && i < turns.length; i++) {
            sinceNs[i] = now;
            nextNs[i] = now + i * intervalNs() / turns.length;
        }
        return isWatched;
    }

    boolean isWatched() {
        return isWatched;
    }

    boolean hasTraffic() {
        return nowNs - trafficNs < LINGER_NS;
    }

    /** True if another VID stands in for the one that is wanted. */
    boolean hasMoved() {
        return used != wanted;
    }

    /** The VID that the host was given. */
    int wanted() {
        return wanted;
    }

    /** The VID that it uses. */
    int used() {
        return used;
    }

    void use(final int vid) {
        used = vid;
    }

    /** Hosts that are asked. */
    int count() {
        return turns.length;
    }

    /** One of them. */
    int host(final int index) {
        return witnesses.host(index, turns[index]);
    }

    boolean isWitness(final int host) {
        for (int i = 0; isWatched && i < turns.length; i++) {
            if (host(i) == host) {
                return true;
            }
        }
        return false;
    }

    private long intervalNs() {
        return hasTraffic()
                ? Math.max(config.heartbeatNs(), turns.length * MIN_STEP_NS)
                : config.spareHeartbeatNs();
    }

    boolean isLookDue(final int index) {
        return nowNs - nextNs[index] >= 0;
    }

    /** A witness is asked now; true if that is to be done in the VID that is wanted, too. */
    boolean onLook(final int index) {
        nextNs[index] = nowNs + intervalNs();
        return hasMoved() && (looks[index]++ % LOOKS_OF_WANTED == 0 || !hasTraffic());
    }

    /**
     * True if a witness has been silent for too long in the VID that is used.
     *
     * @param path its path there.
     * @param lastHeardNs when any witness was heard there.
     */
    boolean isSilent(final int index, final VlanPath path, final long lastHeardNs) {
        final long limitNs = Math.max(config.silenceNs(), intervalNs() * 5 / 2);
        final long allLimitNs =
                Math.max(config.silenceNs(), intervalNs() * 5 / 2 / Math.max(1, turns.length));
        final boolean isSilent =
                nowNs - Math.max(path.heardNs(), sinceNs[index]) > limitNs
                        || nowNs - Math.max(lastHeardNs, sinceNs[index]) > allLimitNs;
        return isSilent && path.state() != PathState.DEAD;
    }

    /** Lets another host of its switch take the place of a witness that is not there. */
    void replaceIfGone(final int index, final PeerHealth peer) {
        if (nowNs - Math.max(peer.heardNs(), sinceNs[index]) > GONE_NS) {
            turns[index]++;
            sinceNs[index] = nowNs;
        }
    }

    /**
     * The VID to use: the one that is wanted, unless witnesses do not hear it, or are not heard,
     * and another one is better.
     *
     * @param peers what is known of hosts.
     */
    int choose(final int first, final PeerTable peers) {
        int best = first;
        int bestDead = isWatched ? dead(first, peers) : 0;
        if (bestDead == 0) {
            return first;
        }
        for (final int vid : vids) {
            if (vid != first && isProven(vid, peers)) {
                final int dead = dead(vid, peers);
                if (dead < bestDead || (dead == bestDead && best != first && isBefore(vid, best))) {
                    best = vid;
                    bestDead = dead;
                }
            }
        }
        return best;
    }

    /** Of two VIDs that are as good, the one in use stays; hosts that leave a VID spread. */
    private boolean isBefore(final int vid, final int other) {
        return other != used
                && (vid == used || PeerHealth.score(order, vid) < PeerHealth.score(order, other));
    }

    private int dead(final int vid, final PeerTable peers) {
        int dead = 0;
        for (int i = 0; i < turns.length; i++) {
            final VlanPath path = path(i, vid, peers);
            dead += path != null && path.isDead() ? 1 : 0;
        }
        return dead;
    }

    private boolean isProven(final int vid, final PeerTable peers) {
        for (int i = 0; i < turns.length; i++) {
            final VlanPath path = path(i, vid, peers);
            if (path != null && path.isProven()) {
                return true;
            }
        }
        return false;
    }

    /** The path to a witness that is there. */
    private VlanPath path(final int index, final int vid, final PeerTable peers) {
        final PeerHealth peer = peers.find(host(index));
        return peer == null || nowNs - peer.heardNs() > GONE_NS ? null : peer.path(vid);
    }
}
