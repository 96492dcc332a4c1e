package io.hxb.link.raw;

/**
 * Whether long frames that one sender sends to its neighbours as segments arrive there. Owned by
 * the sender's loop; time is an argument.
 *
 * <p>A neighbour acknowledges probes, which are long frames themselves, and frames that request an
 * acknowledgement. The first frame that is to be sent to a neighbour makes a probe due, others
 * follow at growing intervals until one is acknowledged. From then on a frame requests one now and
 * then, and more often while it is missing. If it is missing for {@value #PATIENCE_NS} ns the path
 * is not proven any more. While the proof holds nothing is sent for it alone, and without frames
 * there are no probes.
 */
final class PathProof {
    /** The frame is not to be sent as segments. */
    static final int REFUSE = 0;

    /** The same, but a probe is due. */
    static final int PROBE = 1;

    /** The frame is to be sent as segments. */
    static final int SEND = 2;

    /** The same, and it is to request an acknowledgement. */
    static final int ASK = 3;

    /** As REFUSE; the path has just been given up. */
    static final int GIVE_UP = 4;

    /** Between an acknowledgement and the next request. */
    static final long INTERVAL_NS = 20_000_000;

    /** Between requests while an acknowledgement is missing. */
    static final long REPEAT_NS = 5_000_000;

    /** For which an acknowledgement may be missing while frames are sent. */
    static final long PATIENCE_NS = 60_000_000;

    /** Requests without an acknowledgement before a path is given up. */
    static final int MIN_REQUESTS = 3;

    /** Between the first two probes, and between those of a path that has never been proven. */
    static final long MIN_PROBE_NS = 4_000_000;

    static final long MAX_PROBE_NS = 1_000_000_000;

    private static final int NEIGHBOURS = 256;
    private static final int MAX_DOUBLINGS = 8;

    private final long[] addresses = new long[NEIGHBOURS];
    private final int[] answers = new int[NEIGHBOURS];
    private final boolean[] isProven = new boolean[NEIGHBOURS];
    private final int[] requests = new int[NEIGHBOURS];
    private final int[] probes = new int[NEIGHBOURS];
    // How often the path was given up since frames, not only probes, were acknowledged.
    private final int[] failures = new int[NEIGHBOURS];
    // Of a proven path the last acknowledgement, or the first request since; otherwise the next
    // probe.
    private final long[] timesNs = new long[NEIGHBOURS];
    private final long[] requestedNs = new long[NEIGHBOURS];
    private final long[] intervalsNs = new long[NEIGHBOURS];

    /**
     * What to do with a long frame.
     *
     * @param neighbour its next hop.
     * @param address identifies the path to the neighbour: its link address, and what else
     *     distinguishes paths; not 0.
     * @param itsAnswers acknowledgements that have arrived from the neighbour so far.
     */
    int onFrame(final int neighbour, final long address, final int itsAnswers, final long nowNs) {
        if (address != addresses[neighbour]) {
            addresses[neighbour] = address;
            answers[neighbour] = itsAnswers;
            failures[neighbour] = 0;
            restart(neighbour, nowNs);
        } else if (itsAnswers != answers[neighbour]) {
            answers[neighbour] = itsAnswers;
            if (requests[neighbour] > 0) {
                failures[neighbour] = 0;
            }
            isProven[neighbour] = true;
            requests[neighbour] = 0;
            probes[neighbour] = 0;
            timesNs[neighbour] = nowNs;
        }
        return isProven[neighbour] ? use(neighbour, nowNs) : probe(neighbour, nowNs);
    }

    private int use(final int neighbour, final long nowNs) {
        final long sinceNs = nowNs - timesNs[neighbour];
        if (requests[neighbour] == 0) {
            if (sinceNs < INTERVAL_NS) {
                return SEND;
            }
            timesNs[neighbour] = nowNs;
        } else if (sinceNs >= PATIENCE_NS && requests[neighbour] >= MIN_REQUESTS) {
            restart(neighbour, nowNs);
            giveUp(neighbour);
            return GIVE_UP;
        } else if (nowNs - requestedNs[neighbour] < REPEAT_NS) {
            return SEND;
        }
        requestedNs[neighbour] = nowNs;
        requests[neighbour]++;
        return ASK;
    }

    private int probe(final int neighbour, final long nowNs) {
        if (timesNs[neighbour] - nowNs > 0) {
            return REFUSE;
        }
        timesNs[neighbour] = nowNs + intervalsNs[neighbour];
        intervalsNs[neighbour] = Math.min(2 * intervalsNs[neighbour], MAX_PROBE_NS);
        probes[neighbour]++;
        return PROBE;
    }

    // Backs off where probes arrive and frames do not.
    private void giveUp(final int neighbour) {
        final int doublings = Math.min(2 * failures[neighbour]++, MAX_DOUBLINGS);
        intervalsNs[neighbour] = Math.min(MIN_PROBE_NS << doublings, MAX_PROBE_NS);
        timesNs[neighbour] += failures[neighbour] == 1 ? 0 : intervalsNs[neighbour];
    }

    /** The path to a neighbour has to be proven again. */
    void restart(final int neighbour, final long nowNs) {
        isProven[neighbour] = false;
        requests[neighbour] = 0;
        probes[neighbour] = 0;
        timesNs[neighbour] = nowNs;
        intervalsNs[neighbour] = MIN_PROBE_NS;
    }

    /** Probes to a neighbour since the path was proven, which no acknowledgement has followed. */
    int probes(final int neighbour) {
        return probes[neighbour];
    }
}
