package io.hxb.vlan;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * Rows of a table of initial paths, which is one of the few things that grow with the network at
 * each of its hosts. A row takes 18 bytes and its name. Immutable.
 */
final class HostColumns extends AbstractList<HostRow> implements RandomAccess {
    private final long[] macs;
    private final char[] vids;
    private final int[] ranks;
    private final int[] nameEnds;
    private final byte[] names;

    private HostColumns(final List<HostRow> rows) {
        macs = new long[rows.size()];
        vids = new char[macs.length];
        ranks = new int[macs.length];
        nameEnds = new int[macs.length];
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int host = 0; host < macs.length; host++) {
            final HostRow row = rows.get(host);
            macs[host] = row.mac();
            vids[host] = (char) row.vid();
            ranks[host] = row.rank();
            all.writeBytes(row.name().getBytes(StandardCharsets.UTF_8));
            nameEnds[host] = all.size();
        }
        names = all.toByteArray();
    }

    /** Copies rows, whose VIDs are those of a plan. */
    static HostColumns of(final List<HostRow> rows) {
        return rows instanceof final HostColumns columns ? columns : new HostColumns(rows);
    }

    @Override
    public HostRow get(final int host) {
        return new HostRow(name(host), macs[host], vids[host], ranks[host]);
    }

    private String name(final int host) {
        final int start = host == 0 ? 0 : nameEnds[host - 1];
        return new String(names, start, nameEnds[host] - start, StandardCharsets.UTF_8);
    }

    /** The address of a host, without making its row. */
    long mac(final int host) {
        return macs[host];
    }

    /** The VID of two hosts: that of the one with the lower rank. */
    int vid(final int a, final int b) {
        return vids[ranks[a] < ranks[b] ? a : b];
    }

    @Override
    public int size() {
        return macs.length;
    }
}
