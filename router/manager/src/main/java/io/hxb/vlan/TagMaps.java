package io.hxb.vlan;

import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfArray;

import java.util.stream.IntStream;

/**
 * A {@link TagTable} in memory that programs in the kernel share, and an array that gives them the
 * number of a VID. Owned by its creator, who closes it when the programs have gone.
 */
final class TagMaps implements AutoCloseable {
    private final BpfArray header;
    private final BpfArray buckets;
    private final BpfArray counts;
    private final BpfArray vids;
    private final BpfArray numberOfVid;
    private final int bucketCount;
    private final TagTable table;

    private TagMaps(
            final int[] plan,
            final int maxPeers,
            final BpfArray header,
            final BpfArray buckets,
            final BpfArray counts,
            final BpfArray vids,
            final BpfArray numberOfVid) {
        this.header = header;
        this.buckets = buckets;
        this.counts = counts;
        this.vids = vids;
        this.numberOfVid = numberOfVid;
        bucketCount = TagTable.bucketCount(maxPeers);
        table =
                new TagTable(
                        plan,
                        maxPeers,
                        header.address(0),
                        buckets.address(0),
                        counts.address(0),
                        vids.address(0));
    }

    /**
     * Makes a table without peers, whose others go untagged.
     *
     * @param plan VIDs that come in; the number of the first is 1.
     * @param maxPeers peers that it has room for, 1 or more.
     * @throws LinuxException if the kernel refuses: EPERM without CAP_BPF.
     */
    static TagMaps create(final int[] plan, final int maxPeers) throws LinuxException {
        BpfArray header = null;
        BpfArray buckets = null;
        BpfArray counts = null;
        BpfArray vids = null;
        BpfArray numberOfVid = null;
        try {
            header = BpfArray.create(1, TagTable.HEADER_BYTES);
            buckets =
                    BpfArray.create(
                            TagTable.bucketCount(maxPeers),
                            TagTable.BUCKET_PEERS * TagTable.PEER_BYTES);
            counts =
                    BpfArray.create(
                            TagTable.bucketCount(maxPeers),
                            TagTable.BUCKET_PEERS * TagTable.COUNTS_BYTES);
            vids = BpfArray.create(1 + plan.length, TagTable.VID_BYTES);
            numberOfVid = BpfArray.create(1 + IntStream.of(plan).max().orElse(0), Long.BYTES);
            for (int i = 0; i < plan.length; i++) {
                Memory.putLong(numberOfVid.address(plan[i]), 1 + i);
            }
            return new TagMaps(plan, maxPeers, header, buckets, counts, vids, numberOfVid);
        } catch (final LinuxException e) {
            closeAll(numberOfVid, header, buckets, counts, vids);
            throw e;
        }
    }

    private static void closeAll(final BpfArray... arrays) {
        for (final BpfArray array : arrays) {
            if (array != null) {
                array.close();
            }
        }
    }

    TagTable table() {
        return table;
    }

    BpfArray header() {
        return header;
    }

    BpfArray buckets() {
        return buckets;
    }

    int bucketCount() {
        return bucketCount;
    }

    BpfArray counts() {
        return counts;
    }

    BpfArray vids() {
        return vids;
    }

    BpfArray numberOfVid() {
        return numberOfVid;
    }

    @Override
    public void close() {
        closeAll(numberOfVid, header, buckets, counts, vids);
    }
}
