package io.hxb.vlan;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.ToLongFunction;

/**
 * Rows of a table of initial paths, which is one of the few things that grow with the network at
 * each of its hosts. A row takes a byte and what its name does not share with others, less than a
 * byte for its VID, and up to eight for address and rank: none where these follow one another.
 * Immutable.
 */
final class HostColumns extends AbstractList<HostRow> implements RandomAccess {
    private static final int MAKER_SHIFT = 24;
    private static final long IN_MAKER = (1L << MAKER_SHIFT) - 1;

    private final int count;
    private final TableColumn makers;
    private final TableColumn macsOfMaker;
    private final TableColumn vids;
    private final TableColumn ranks;
    private final NameColumn names;

    private HostColumns(final List<HostRow> rows) {
        count = rows.size();
        makers = column(rows, row -> row.mac() >>> MAKER_SHIFT);
        macsOfMaker = column(rows, row -> row.mac() & IN_MAKER);
        vids = column(rows, HostRow::vid);
        ranks = column(rows, row -> row.rank() - (long) Integer.MIN_VALUE);
        names = NameColumn.of(rows.stream().map(HostRow::name).toList());
    }

    private static TableColumn column(
            final List<HostRow> rows, final ToLongFunction<HostRow> value) {
        return TableColumn.of(rows.stream().mapToLong(value).toArray());
    }

    /** Copies rows, whose VIDs are those of a plan. */
    static HostColumns of(final List<HostRow> rows) {
        return rows instanceof final HostColumns columns ? columns : new HostColumns(rows);
    }

    @Override
    public HostRow get(final int host) {
        return new HostRow(name(host), mac(host), (int) vids.get(host), rank(host));
    }

    String name(final int host) {
        return names.get(host);
    }

    private int rank(final int host) {
        return (int) (ranks.get(host) + Integer.MIN_VALUE);
    }

    /** The address of a host, without making its row. */
    long mac(final int host) {
        return makers.get(host) << MAKER_SHIFT | macsOfMaker.get(host);
    }

    /** The VID of two hosts: that of the one with the lower rank. */
    int vid(final int a, final int b) {
        return (int) vids.get(ranks.get(a) < ranks.get(b) ? a : b);
    }

    @Override
    public int size() {
        return count;
    }
}
