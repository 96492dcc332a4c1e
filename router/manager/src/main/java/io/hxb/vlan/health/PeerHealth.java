package io.hxb.vlan.health;

import io.hxb.trunk.health.HoldDown;
import io.hxb.vlan.HostTable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a host knows of its paths to another, and which of them the pair takes. Both hosts know what
 * either of them hears, and choose by the same rule, so they take the same path without asking
 * anybody. Owned by the thread of its {@link PathHealth}.
 */
final class PeerHealth {
    /** Paths of a pair that are looked after when it begins. */
    private static final int FIRST_PATHS = 8;

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final int host;
    private final long mac;
    private final long pair;
    private final List<VlanPath> paths = new ArrayList<>();
    private final DuplicateWindow numbers = new DuplicateWindow();
    private final PathValidation validation = new PathValidation();
    private final PairUse use;
    private long incarnation;
    private final HoldDown.Terms terms;
    private long greeted;
    private long sentNumber;
    private int peerUsed;
    private long peerIntervalNs;
    private long heardNs = NEVER;
    private int wanted;
    private int used;

    /**
     * A host of which nothing is known.
     *
     * @param terms on which dead paths are used again.
     */
    PeerHealth(
            final int here,
            final int host,
            final HostTable table,
            final HoldDown.Terms terms,
            final long nowNs) {
        this.host = host;
        this.terms = terms;
        mac = table.mac(host);
        pair = (long) Math.min(here, host) << Integer.SIZE | Math.max(here, host);
        use = new PairUse(nowNs);
        final int room = Math.max(1, FIRST_PATHS / table.spread().nicCount());
        for (int nic = 0; nic < table.spread().nicCount(); nic++) {
            final List<Integer> best = new ArrayList<>();
            for (final int vid : table.vids()) {
                if (table.nic(vid) == nic) {
                    best.add(vid);
                    best.sort(Comparator.comparingLong(each -> score(pair, each)));
                    if (best.size() > room) {
                        best.removeLast();
                    }
                }
            }
            best.forEach(vid -> insert(new VlanPath(vid, terms, nowNs)));
        }
    }

    /** Each pair has an order of its own, so that pairs that leave a VID spread over the others. */
    static long score(final long pair, final int vid) {
        long hash = (pair + vid * 0x9E37_79B9_7F4A_7C15L) * 0xBF58_476D_1CE4_E5B9L;
        hash = (hash ^ hash >>> 29) * 0x94D0_49BB_1331_11EBL;
        return hash ^ hash >>> 32;
    }

    private void insert(final VlanPath path) {
        int at = 0;
        while (at < paths.size() && score(pair, paths.get(at).vid()) < score(pair, path.vid())) {
            at++;
        }
        paths.add(at, path);
    }

    int host() {
        return host;
    }

    long mac() {
        return mac;
    }

    PathValidation validation() {
        return validation;
    }

    PairUse use() {
        return use;
    }

    /** Its paths, in the order in which they are preferred to one another. */
    List<VlanPath> paths() {
        return paths;
    }

    /** The path in a VID; null if it is not looked after. */
    VlanPath path(final int vid) {
        for (int i = 0; i < paths.size(); i++) {
            if (paths.get(i).vid() == vid) {
                return paths.get(i);
            }
        }
        return null;
    }

    /** The same; from now on it is looked after, if there are not too many. */
    VlanPath findOrAdd(final int vid, final long nowNs) {
        VlanPath path = path(vid);
        if (path == null && paths.size() < Probe.MAX_STATES) {
            path = new VlanPath(vid, terms, nowNs);
            insert(path);
        }
        return path;
    }

    /** The VID that traffic would take if no path was dead. */
    int wanted() {
        return wanted;
    }

    void want(final int vid, final long nowNs) {
        wanted = vid;
        findOrAdd(vid, nowNs);
    }

    /** The VID that traffic takes. */
    int used() {
        return used;
    }

    void use(final int vid) {
        used = vid;
    }

    /** The VID that traffic should take where another one is wanted. */
    int choose(final int vid) {
        final VlanPath first = path(vid);
        if (first == null || !first.isDead()) {
            return vid;
        }
        for (int i = 0; i < paths.size(); i++) {
            if (paths.get(i).isProven()) {
                return paths.get(i).vid();
            }
        }
        return vid;
    }

    /** The incarnation that it is addressed by; 0 if it has announced none. */
    long address() {
        return greeted == 0 ? incarnation : greeted;
    }

    /** True if it has answered since it started. */
    boolean isKnown() {
        return incarnation != 0;
    }

    /** It has named itself in a frame that may be old. */
    void onGreeting(final long named) {
        greeted = named == incarnation ? 0 : named;
    }

    /** Number of the next frame to it. */
    long nextNumber() {
        return ++sentNumber;
    }

    /**
     * A valid frame from it has come.
     *
     * @return false if it has come before.
     */
    boolean onFrame(final Probe probe, final long nowNs) {
        if (probe.senderIncarnation() != incarnation) {
            begin(probe.senderIncarnation());
        }
        final boolean isNewest = probe.number() > numbers.last();
        if (!numbers.accept(probe.number())) {
            return false;
        }
        greeted = 0;
        heardNs = nowNs;
        validation.onHeard();
        if (isNewest) {
            peerUsed = probe.used();
            peerIntervalNs = probe.intervalNs();
            for (int i = 0; i < probe.count(); i++) {
                final VlanPath path = path(probe.stateVid(i));
                if (path != null) {
                    path.onReported(probe.state(i));
                }
            }
        }
        return true;
    }

    private void begin(final long named) {
        incarnation = named;
        numbers.clear();
        for (final VlanPath path : paths) {
            path.forget();
        }
    }

    /** The VID in which it reports that it sends; 0 without a report. */
    int peerUsed() {
        return peerUsed;
    }

    /** Time between its probes of the path in use, in ns. */
    long peerIntervalNs() {
        return peerIntervalNs;
    }

    /** When it was heard last, in any VID. */
    long heardNs() {
        return heardNs;
    }

    /** Paths on which this host does not hear it. */
    int deadPaths() {
        int dead = 0;
        for (int i = 0; i < paths.size(); i++) {
            dead += paths.get(i).state() == PathState.DEAD ? 1 : 0;
        }
        return dead;
    }

    boolean hasDeadPath() {
        for (int i = 0; i < paths.size(); i++) {
            if (paths.get(i).isDead()) {
                return true;
            }
        }
        return false;
    }
}
