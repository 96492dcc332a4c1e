package io.hxb.vlan;

import io.hxb.fabric.vlan.NicSpread;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.SetupMaker;

import org.agrona.collections.IntHashSet;
import org.agrona.collections.LongHashSet;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * The table of initial paths that all hosts share. Immutable.
 *
 * @param rows one for each host, in the order of their numbers; made whenever one is asked for.
 * @param vids of the plan, in its order.
 * @param exceptions VIDs of pairs that do not follow the ranks.
 * @param spread how pairs take the NICs of their hosts in turn; VLANs are places in {@code vids}.
 */
public record HostTable(
        List<HostRow> rows,
        List<Integer> vids,
        Map<VlanPlan.Pair, Integer> exceptions,
        NicSpread spread) {
    private static final int MAC_BITS = 48;

    /** Hosts that a table can have; their numbers are 16 bits where the programs see them. */
    public static final int MAX_HOSTS = 65_536;

    /**
     * Copies and checks it.
     *
     * @throws IllegalArgumentException with all problems, if two hosts share an address or a rank,
     *     or a VID is not in the plan.
     */
    public HostTable {
        vids = List.copyOf(vids);
        exceptions = Map.copyOf(exceptions);
        final List<String> problems = problems(rows, planned(vids), exceptions);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        rows = HostColumns.of(rows);
    }

    /** The table of hosts with one NIC each; as above. */
    public HostTable(
            final List<HostRow> rows,
            final List<Integer> vids,
            final Map<VlanPlan.Pair, Integer> exceptions) {
        this(rows, vids, exceptions, NicSpread.NONE);
    }

    private HostColumns columns() {
        return (HostColumns) rows;
    }

    private static BitSet planned(final List<Integer> vids) {
        final BitSet plan = new BitSet();
        for (final int vid : vids) {
            if (vid < 1 || vid > VlanIds.MAX_VID || plan.get(vid)) {
                throw new IllegalArgumentException(
                        "a plan has VIDs from 1 to " + VlanIds.MAX_VID + ", each once: " + vid);
            }
            plan.set(vid);
        }
        return plan;
    }

    private static List<String> problems(
            final List<HostRow> rows,
            final BitSet plan,
            final Map<VlanPlan.Pair, Integer> exceptions) {
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
        if (rows.size() > MAX_HOSTS) {
            problems.add("a table has at most " + MAX_HOSTS + " hosts: " + rows.size());
        }
        exceptions.forEach(
                (pair, vid) -> {
                    if (pair.low() < 0 || pair.high() >= rows.size() || pair.low() == pair.high()) {
                        problems.add("there is no pair " + pair.low() + ", " + pair.high());
                    } else if (vid < 1 || !plan.get(vid)) {
                        problems.add("the VID " + vid + " of a pair is not in the plan");
                    }
                });
        return problems;
    }

    /**
     * The table of a plan in which hosts tag.
     *
     * @throws IllegalArgumentException if switches tag in this plan, or as the constructor.
     */
    public static HostTable of(final VlanPlan plan) {
        if (plan.kind() != PlanKind.HOST_TAGGED) {
            throw new IllegalArgumentException(
                    "hosts have a table only in a plan of --kind host-tagged; this one is "
                            + plan.kind().word());
        }
        final List<HostRow> rows = new ArrayList<>();
        for (int host = 0; host < plan.graph().hostCount(); host++) {
            rows.add(
                    new HostRow(
                            plan.graph().hostName(host),
                            SetupMaker.mac(plan.graph(), host),
                            plan.vid(plan.vlanOf(host)),
                            plan.rank(host)));
        }
        final List<Integer> vids = new ArrayList<>();
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            vids.add(plan.vid(vlan));
        }
        final Map<VlanPlan.Pair, Integer> exceptions = new TreeMap<>();
        plan.exceptions().forEach((pair, vlan) -> exceptions.put(pair, plan.vid(vlan)));
        return new HostTable(rows, vids, exceptions, plan.spread());
    }

    /** The VID of a pair of different hosts, in both directions. */
    public int vid(final int a, final int b) {
        final Integer exception =
                exceptions.isEmpty() ? null : exceptions.get(VlanPlan.Pair.of(a, b));
        if (exception != null) {
            return exception;
        }
        return vidByRanks(a, b);
    }

    /** The same for a pair without an exception. */
    int vidByRanks(final int a, final int b) {
        final int own = columns().vid(a, b);
        return spread.nicCount() == 1 ? own : vids.get(spread.vlan(vlan(own), a, b));
    }

    private int vlan(final int vid) {
        int vlan = 0;
        while (vids.get(vlan) != vid) {
            vlan++;
        }
        return vlan;
    }

    /** The NIC that frames of a VID of the plan take. */
    public int nic(final int vid) {
        return spread.nicCount() == 1 ? 0 : spread.nic(vids.indexOf(vid));
    }

    /** Address of a host, first byte highest. */
    public long mac(final int host) {
        return columns().mac(host);
    }

    /** Number of the host with that address, first byte highest; -1 if there is none. */
    public int hostOf(final long mac) {
        for (int host = 0; host < rows.size(); host++) {
            if (mac(host) == mac) {
                return host;
            }
        }
        return -1;
    }

    /** Number of the host of that name; -1 if there is none. */
    public int hostOf(final String name) {
        for (int host = 0; host < rows.size(); host++) {
            if (columns().name(host).equals(name)) {
                return host;
            }
        }
        return -1;
    }

    /** VIDs of the plan as a new set. */
    public BitSet plannedVids() {
        return planned(vids);
    }

    /** Identifies the network: usually differs where hosts or VIDs differ; never 0. */
    public long fingerprint() {
        final CRC32C first = new CRC32C();
        final CRC32 second = new CRC32();
        final StringBuilder text = new StringBuilder(vids.toString());
        if (spread.nicCount() > 1) {
            text.append(spread);
        }
        for (int host = 0; host < rows.size(); host++) {
            text.append(mac(host)).append(' ');
        }
        final byte[] bytes = text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        first.update(bytes);
        second.update(bytes);
        final long value = first.getValue() << Integer.SIZE | second.getValue();
        return value == 0 ? 1 : value;
    }
}
