package io.hxb.vlan;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.linux.LinuxException;

import org.agrona.collections.IntHashSet;
import org.agrona.collections.LongHashSet;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The paths of one host to all others: what the table of rows says, and exceptions by host. Owned
 * by one thread, which writes what changes to the {@link Tagger}. Changes hold together, after
 * {@link #commit}. Nothing is allocated by a change; a host takes 4 bytes.
 */
public final class HostPaths {
    /** No exception: the pair follows the table. */
    public static final int BY_TABLE = 0;

    private static final int MAC_BITS = 48;

    private final int here;
    private final BitSet plan;
    private final Tagger tagger;
    private final char[] tableVids;
    private final char[] exceptions;
    private int exceptionCount;

    private HostPaths(
            final List<HostRow> rows, final int here, final BitSet plan, final Tagger tagger) {
        this.here = here;
        this.plan = plan;
        this.tagger = tagger;
        tableVids = new char[rows.size()];
        exceptions = new char[rows.size()];
        final HostRow own = rows.get(here);
        for (int host = 0; host < tableVids.length; host++) {
            final HostRow other = rows.get(host);
            tableVids[host] = (char) (own.rank() < other.rank() ? own : other).vid();
        }
    }

    /**
     * Gives a host the paths of a table.
     *
     * @param rows one a host, in the order of their numbers.
     * @param here number of the host itself.
     * @param plan VIDs that may be used.
     * @param tagger knows no host yet; no other writes it.
     * @throws IllegalArgumentException with all problems, if two hosts share an address or a rank,
     *     or a VID is not in the plan; nothing is written then.
     */
    public static HostPaths of(
            final List<HostRow> rows, final int here, final BitSet plan, final Tagger tagger)
            throws LinuxException {
        check(rows, plan);
        final HostPaths paths = new HostPaths(rows, here, (BitSet) plan.clone(), tagger);
        tagger.path(Tagger.OTHERS, rows.get(here).vid());
        tagger.commit();
        for (int host = 0; host < rows.size(); host++) {
            if (host != here) {
                tagger.name(host, rows.get(host).mac(), paths.tableVids[host]);
            }
        }
        return paths;
    }

    private static void check(final List<HostRow> rows, final BitSet plan) {
        final List<String> problems = new ArrayList<>();
        final LongHashSet macs = new LongHashSet();
        final IntHashSet ranks = new IntHashSet();
        for (final HostRow row : rows) {
            if (row.mac() <= 0 || row.mac() >>> MAC_BITS != 0) {
                problems.add(row.name() + " has no MAC address");
            } else if (!macs.add(row.mac())) {
                problems.add(row.name() + " has the MAC address of another host");
            }
            if (!ranks.add(row.rank())) {
                problems.add(row.name() + " has the rank of another host: " + row.rank());
            }
            if (row.vid() < 1 || !plan.get(row.vid())) {
                problems.add(
                        "the VID %d of %s is not in the plan (%s)"
                                .formatted(row.vid(), row.name(), VlanIds.ranges(plan)));
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** The VID that the table gives the pair of this host and another. */
    public int tableVid(final int host) {
        return tableVids[host];
    }

    /** The VID of frames to a host after the next commit. */
    public int vid(final int host) {
        return exceptions[host] == BY_TABLE ? tableVids[host] : exceptions[host];
    }

    /** The exception of a host, {@link #BY_TABLE} if it has none. */
    public int exception(final int host) {
        return exceptions[host];
    }

    /** Hosts that do not follow the table. */
    public int exceptionCount() {
        return exceptionCount;
    }

    /** Hosts of the table, this one included. */
    public int hostCount() {
        return tableVids.length;
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
        if (host == here || vid != BY_TABLE && !isPlanned(vid)) {
            throw new IllegalArgumentException("host " + host + ", VID " + vid);
        }
        exceptionCount += (vid == BY_TABLE ? 0 : 1) - (exceptions[host] == BY_TABLE ? 0 : 1);
        exceptions[host] = (char) vid;
        tagger.path(host, vid(host));
    }

    /** All that was set holds, from the next frame on. */
    public void commit() {
        tagger.commit();
    }
}
