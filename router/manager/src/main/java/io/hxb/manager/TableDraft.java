package io.hxb.manager;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of initial paths that a session is about to set: it begins with the rows that hold, and
 * without exceptions. Owned by the manager's thread. Memory: 8 bytes a host until a row is changed.
 */
final class TableDraft {
    /** Pairs that do not follow the rows of their hosts. */
    private static final int MAX_EXCEPTIONS = 65_536;

    private final HostTable from;
    private final List<HostRow> rows;
    private final Map<VlanPlan.Pair, Integer> exceptions = new HashMap<>();

    TableDraft(final HostTable from) {
        this.from = from;
        rows = new ArrayList<>(from.rows());
    }

    /** Hosts of the table. */
    int hosts() {
        return rows.size();
    }

    /** True if a VID is one of the plan. */
    boolean isPlanned(final int vid) {
        return from.vids().contains(vid);
    }

    /** Sets default VID and rank of a host. */
    void row(final int host, final int vid, final int rank) {
        final HostRow row = rows.get(host);
        rows.set(host, new HostRow(row.name(), row.mac(), vid, rank));
    }

    /**
     * Sets the VID of a pair that does not follow the ranks.
     *
     * @return false if there are too many.
     */
    boolean exception(final int a, final int b, final int vid) {
        exceptions.put(VlanPlan.Pair.of(a, b), vid);
        return exceptions.size() <= MAX_EXCEPTIONS;
    }

    /**
     * The table that it has become.
     *
     * @throws IllegalArgumentException with all problems.
     */
    HostTable finish() {
        return new HostTable(rows, from.vids(), exceptions, from.spread());
    }
}
