package io.hxb.vlan;

import io.hxb.linux.LinuxException;

import org.agrona.collections.Int2IntHashMap;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The paths of one host to all others: the table of rows, and exceptions by host. Owned by one
 * thread, which writes what changes to the {@link Tagger}. Changes take effect together, with
 * {@link #commit}. A change allocates nothing; a host takes as many bits as tell VIDs apart.
 */
public final class HostPaths {
    /** No exception: the pair follows the table. */
    public static final int BY_TABLE = 0;

    private final int here;
    private final BitSet plan;
    private final Tagger tagger;
    private final int[] vids;
    private final Numbers exceptions;
    private final Int2IntHashMap vidOfPair = new Int2IntHashMap(BY_TABLE);
    private HostTable table;
    private int exceptionCount;
    private int othersVid;
    private Detours detours = Detours.NONE;

    private HostPaths(final HostTable table, final int here, final Tagger tagger) {
        this.here = here;
        this.tagger = tagger;
        plan = table.plannedVids();
        vids = plan.stream().toArray();
        exceptions = new Numbers(table.rows().size(), vids.length);
        take(table);
    }

    private void take(final HostTable value) {
        table = value;
        othersVid = table.rows().get(here).vid();
        vidOfPair.clear();
        table.exceptions()
                .forEach(
                        (pair, vid) -> {
                            if (pair.low() == here || pair.high() == here) {
                                vidOfPair.put(pair.low() + pair.high() - here, (int) vid);
                            }
                        });
    }

    /**
     * Gives a host the paths of a table.
     *
     * @param here number of the host itself.
     * @param tagger knows no host yet; nobody else writes it.
     */
    public static HostPaths of(final HostTable table, final int here, final Tagger tagger)
            throws LinuxException {
        final HostPaths paths = new HostPaths(table, here, tagger);
        paths.refreshOthers();
        tagger.commit();
        for (int host = 0; host < table.rows().size(); host++) {
            if (host != here) {
                tagger.name(host, table.mac(host), paths.tableVid(host));
            }
        }
        return paths;
    }

    /** The VID that the table gives the pair of this host and another. */
    public int tableVid(final int host) {
        final int exception = vidOfPair.isEmpty() ? BY_TABLE : vidOfPair.get(host);
        return exception == BY_TABLE ? table.vidByRanks(here, host) : exception;
    }

    /** From now on, frames to a host take the VID of these detours. */
    public void follow(final Detours value) {
        detours = value;
    }

    /** The VID that a host was given, by the table or as an exception. */
    public int wanted(final int host) {
        final int exception = exception(host);
        return exception == BY_TABLE ? tableVid(host) : exception;
    }

    /** The VID of frames to a host after the next commit. */
    public int vid(final int host) {
        return detours.vid(host, wanted(host));
    }

    /** The VID in which a host reports that it sends to this one; 0 if that is not known. */
    public int peerVid(final int host) {
        return detours.peerVid(host);
    }

    /** Detours have changed for a host; takes effect with the next commit. */
    public void refresh(final int host) {
        tagger.path(host, vid(host));
    }

    /** The VID that the table gives broadcasts and frames to hosts outside of the plan. */
    public int wantedOfOthers() {
        return othersVid;
    }

    /** Detours have changed for these; takes effect with the next commit. */
    public void refreshOthers() {
        tagger.path(Tagger.OTHERS, detours.others(othersVid));
    }

    /** The exception of a host, {@link #BY_TABLE} if it has none. */
    public int exception(final int host) {
        final int number = (int) exceptions.get(host);
        return number == 0 ? BY_TABLE : vids[number - 1];
    }

    /** Hosts that do not follow the table. */
    public int exceptionCount() {
        return exceptionCount;
    }

    /** Hosts of the table, this one included. */
    public int hostCount() {
        return exceptions.count();
    }

    /** Number of the host whose paths these are. */
    public int here() {
        return here;
    }

    /** True if {@code vid} may be used. */
    public boolean isPlanned(final int vid) {
        return vid > 0 && plan.get(vid);
    }

    /**
     * Lets frames to a host take another VID; from the next commit.
     *
     * @param host another host.
     * @param vid one of the plan, or {@link #BY_TABLE}.
     */
    public void set(final int host, final int vid) {
        if (host == here || (vid != BY_TABLE && !isPlanned(vid))) {
            throw new IllegalArgumentException("host " + host + ", VID " + vid);
        }
        exceptionCount += (vid == BY_TABLE ? 0 : 1) - (exceptions.get(host) == 0 ? 0 : 1);
        exceptions.set(host, vid == BY_TABLE ? 0 : 1 + Arrays.binarySearch(vids, vid));
        tagger.path(host, vid(host));
    }

    /**
     * Gives the host the paths of another table; exceptions stay. Takes effect with the next
     * commit.
     *
     * @param next of the same hosts and VIDs.
     */
    public void follow(final HostTable next) {
        final HostTable last = table;
        take(next);
        for (int host = 0; host < hostCount(); host++) {
            if (host != here && tableVid(host) != last.vid(here, host)) {
                refresh(host);
            }
        }
        refreshOthers();
    }

    /** Puts all that was set into effect, from the next frame on. */
    public void commit() {
        tagger.commit();
    }
}
