package io.hxb.vlan;

import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfArray;
import io.hxb.os.bpf.BpfHash;

/**
 * What the programs at a host's NIC and the host's manager share: the path of each peer, and what
 * was sent and received. The manager writes paths, from one thread; the programs count; any thread
 * may read. Each peer has two paths, and one word, the same for all, says which of the two holds:
 * so a batch of changes takes effect between two frames.
 *
 * <pre>
 * the header, 8 bytes:
 * offset length meaning (native order)
 *      0      4 which path of each peer holds: 0 or 1
 *
 * a peer, 24 bytes; number 0 is everybody whom the table does not name, and all at once:
 *      0      4 path 0: number of the VID in the plan * 2^16 + VID, or 0: no tag
 *      4      4 path 1
 *      8      8 bytes sent to it, Ethernet headers included
 *     16      8 frames sent to it
 *
 * a VID of the plan, 32 bytes:
 *      0      8 bytes sent
 *      8      8 frames sent
 *     16      8 bytes received
 *     24      8 frames received
 *
 * MAC address, as in memory -> number of the peer; VID -> its number in the plan
 * </pre>
 */
final class TagTable implements AutoCloseable {
    static final int ACTIVE_OFFSET = 0;
    static final int PEER_BYTES_OFFSET = 8;
    static final int PEER_FRAMES_OFFSET = 16;
    static final int SENT_BYTES_OFFSET = 0;
    static final int SENT_FRAMES_OFFSET = 8;
    static final int RECEIVED_BYTES_OFFSET = 16;
    static final int RECEIVED_FRAMES_OFFSET = 24;
    static final int NUMBER_SHIFT = 16;

    /** The peer that stands for all others. */
    static final int OTHERS = 0;

    private static final int VID_MASK = 0xFFF;
    private static final int HEADER_BYTES = 8;
    private static final int PEER_BYTES = 24;
    private static final int VID_BYTES = 32;
    private static final int MAC_UNUSED_BITS = Short.SIZE;

    private final BpfArray header;
    private final BpfArray peers;
    private final BpfArray vids;
    private final BpfHash peerOfMac;
    private final BpfHash numberOfVid;

    private TagTable(
            final BpfArray header,
            final BpfArray peers,
            final BpfArray vids,
            final BpfHash peerOfMac,
            final BpfHash numberOfVid) {
        this.header = header;
        this.peers = peers;
        this.vids = vids;
        this.peerOfMac = peerOfMac;
        this.numberOfVid = numberOfVid;
    }

    /**
     * Makes a table without peers, whose others go untagged.
     *
     * @param plan the VIDs that come in, by their number in the plan, {@code [1..]}.
     * @param maxPeers peers that it has room for, 1 or more.
     * @throws LinuxException if the kernel refuses: EPERM without CAP_BPF.
     */
    static TagTable create(final int[] plan, final int maxPeers) throws LinuxException {
        BpfArray header = null;
        BpfArray peers = null;
        BpfArray vids = null;
        BpfHash peerOfMac = null;
        BpfHash numberOfVid = null;
        try {
            header = BpfArray.create(1, HEADER_BYTES);
            peers = BpfArray.create(1 + maxPeers, PEER_BYTES);
            vids = BpfArray.create(plan.length, VID_BYTES);
            peerOfMac = BpfHash.create(maxPeers);
            numberOfVid = BpfHash.create(plan.length);
            for (int number = 0; number < plan.length; number++) {
                numberOfVid.put(plan[number], number);
            }
            return new TagTable(header, peers, vids, peerOfMac, numberOfVid);
        } catch (final LinuxException e) {
            closeAll(header, peers, vids, peerOfMac, numberOfVid);
            throw e;
        }
    }

    private static void closeAll(
            final BpfArray header,
            final BpfArray peers,
            final BpfArray vids,
            final BpfHash peerOfMac,
            final BpfHash numberOfVid) {
        for (final BpfArray array : new BpfArray[] {header, peers, vids}) {
            if (array != null) {
                array.close();
            }
        }
        for (final BpfHash hash : new BpfHash[] {peerOfMac, numberOfVid}) {
            if (hash != null) {
                hash.close();
            }
        }
    }

    BpfArray header() {
        return header;
    }

    BpfArray peers() {
        return peers;
    }

    BpfArray vids() {
        return vids;
    }

    BpfHash peerOfMac() {
        return peerOfMac;
    }

    BpfHash numberOfVid() {
        return numberOfVid;
    }

    /** The path in which VID {@code vid} of the plan is number {@code number}. */
    static int path(final int number, final int vid) {
        return number << NUMBER_SHIFT | vid;
    }

    /** Names a peer's address, first byte highest; frames to it take the peer's path from now. */
    void name(final int peer, final long mac) throws LinuxException {
        peerOfMac.put(asInMemory(mac), peer);
    }

    /** Forgets an address; frames to it take the path of others. */
    void forget(final long mac) throws LinuxException {
        peerOfMac.remove(asInMemory(mac));
    }

    private static long asInMemory(final long mac) {
        return Long.reverseBytes(mac) >>> MAC_UNUSED_BITS;
    }

    /** Sets the path of a peer that does not hold yet; 0 for frames without a tag. */
    void prepare(final int peer, final int path) {
        Memory.putInt(peers.address(peer) + Integer.BYTES * (1 - active()), path);
    }

    /** From the next frame on, what was prepared holds; what held before can be prepared again. */
    void swap() {
        Memory.putIntRelease(header.address(0) + ACTIVE_OFFSET, 1 - active());
    }

    /** The VID of the path of a peer that holds; 0 without a tag. */
    int vid(final int peer) {
        return Memory.getInt(peers.address(peer) + Integer.BYTES * active()) & VID_MASK;
    }

    private int active() {
        return Memory.getInt(header.address(0) + ACTIVE_OFFSET);
    }

    /** One of the counts of a peer. */
    long peerCount(final int peer, final int offset) {
        return Memory.getLongVolatile(peers.address(peer) + offset);
    }

    /** One of the counts of a VID, by its number in the plan. */
    long vidCount(final int number, final int offset) {
        return Memory.getLongVolatile(vids.address(number) + offset);
    }

    @Override
    public void close() {
        closeAll(header, peers, vids, peerOfMac, numberOfVid);
    }
}
