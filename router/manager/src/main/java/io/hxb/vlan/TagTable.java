package io.hxb.vlan;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;

/**
 * What those who tag the frames of a NIC, programs in the kernel or a thread, and the host's
 * manager share: the path of each peer, and what was sent and received. The manager writes peers
 * and paths, from one thread; those who tag count; any thread may read. Each peer has two paths,
 * and one word, the same for all, selects the valid one, so that a batch of changes takes effect
 * between two frames.
 *
 * <p>Peers lie in buckets of eight, each in one of the two buckets that its address hashes to; a
 * new one may push others into their other bucket. A peer takes 33 bytes, and 2 more here that hold
 * where it lies; in a hash table of the kernel it takes a hundred.
 *
 * <p>Frames leave and come in on different CPUs: counts lie in other cache lines than what both
 * ways read, and those of the two ways in lines of their own.
 *
 * <pre>
 * the header, 80 bytes:
 * offset length meaning (native order)
 *      0      4 which path of each peer holds: 0 or 1
 *      8     16 the peer that stands for all whom the table does not name, and for all at once
 *     64     16 counts of that peer
 *
 * a bucket, 8 peers of 16 bytes:
 *      0      8 MAC address as in memory, 0: nobody
 *      8      2 path 0: the VID's number in the plan, from 1; 0: no tag
 *     10      2 path 1
 *     12      2 heard: the path of its last frame that came in; 0: none came
 *     14      2 number of the host
 *
 * counts of a bucket's peers, 8 of 16 bytes:
 *      0      8 bytes sent to it, Ethernet headers included
 *      8      8 frames sent to it
 *
 * a VID of the plan, 128 bytes, by its number; number 0 is not used:
 *      0      8 VID
 *      8      8 bytes sent
 *     16      8 frames sent
 *     24      4 where the host has several NICs: ifindex of that of this VID; 0: it is not there
 *     64      8 bytes received
 *     72      8 frames received
 *
 * </pre>
 *
 * Source of the buckets: Dietzfelbinger and Weidling, Balanced allocation and dictionaries with
 * tightly packed constant size bins, 2007.
 */
final class TagTable {
    static final int ACTIVE_OFFSET = 0;
    static final int OTHERS_OFFSET = 8;
    static final int OTHERS_COUNTS_OFFSET = 64;
    static final int MAC_OFFSET = 0;
    static final int PATHS_OFFSET = 8;
    static final int HEARD_OFFSET = 12;
    static final int HOST_OFFSET = 14;
    static final int BYTES_OFFSET = 0;
    static final int FRAMES_OFFSET = 8;
    static final int VID_OFFSET = 0;
    static final int SENT_BYTES_OFFSET = 8;
    static final int SENT_FRAMES_OFFSET = 16;
    static final int NIC_OFFSET = 24;
    static final int RECEIVED_BYTES_OFFSET = 64;
    static final int RECEIVED_FRAMES_OFFSET = 72;

    /** Peers of a bucket. */
    static final int BUCKET_PEERS = 8;

    /** Bytes of a peer. */
    static final int PEER_BYTES = 16;

    /** Bytes of a peer's counts. */
    static final int COUNTS_BYTES = 16;

    /** Factors of the two hashes of an address; odd. */
    static final long FIRST_FACTOR = 0x9E37_79B9_7F4A_7C15L, SECOND_FACTOR = 0xD1B5_4A32_D192_ED03L;

    /** Bytes of the header. */
    static final int HEADER_BYTES = OTHERS_COUNTS_OFFSET + COUNTS_BYTES;

    /** Bytes of a VID. */
    static final int VID_BYTES = 128;

    private static final int CACHE_LINE_BYTES = 64;
    private static final int MAX_MOVES = 500;

    /** One place in so many stays free; two buckets of eight can be filled to 99.8 %. */
    private static final int SLACK = 32;

    /** Of a few buckets, one may be the choice of too many. */
    private static final int SPARE_BUCKETS = 3;

    private final long header;
    private final long buckets;
    private final long counts;
    private final long vids;
    private final int bucketCount;
    private final Numbers positionOfHost;
    private final SplittableRandom random = new SplittableRandom(1);

    /**
     * Lays a table without peers over memory that is all 0; others go untagged.
     *
     * @param plan VIDs that come in; the number of the first is 1.
     * @param maxPeers peers that it has room for, and their numbers are below this.
     * @param header address of {@link #HEADER_BYTES}.
     * @param buckets address of {@link #bucketCount(int)} buckets.
     * @param counts address of the counts of as many.
     * @param vids address of the VIDs, number 0 included.
     */
    TagTable(
            final int[] plan,
            final int maxPeers,
            final long header,
            final long buckets,
            final long counts,
            final long vids) {
        this.header = header;
        this.buckets = buckets;
        this.counts = counts;
        this.vids = vids;
        bucketCount = bucketCount(maxPeers);
        positionOfHost = new Numbers(maxPeers, (long) bucketCount * BUCKET_PEERS);
        for (int i = 0; i < plan.length; i++) {
            Memory.putLong(vidAddress(1 + i) + VID_OFFSET, plan[i]);
        }
    }

    /** A table in memory of this process, which is there as long as {@code arena}. */
    static TagTable in(final Arena arena, final int[] plan, final int maxPeers) {
        final long places = (long) bucketCount(maxPeers) * BUCKET_PEERS;
        return new TagTable(
                plan,
                maxPeers,
                zeroed(arena, HEADER_BYTES).address(),
                zeroed(arena, places * PEER_BYTES).address(),
                zeroed(arena, places * COUNTS_BYTES).address(),
                zeroed(arena, (1L + plan.length) * VID_BYTES).address());
    }

    private static MemorySegment zeroed(final Arena arena, final long bytes) {
        return arena.allocate(bytes, CACHE_LINE_BYTES).fill((byte) 0);
    }

    /** Buckets of a table with room for {@code maxPeers}, 1 or more. */
    static int bucketCount(final int maxPeers) {
        return (maxPeers + maxPeers / SLACK) / BUCKET_PEERS + SPARE_BUCKETS;
    }

    private long bucketAddress(final int bucket) {
        return buckets + (long) bucket * BUCKET_PEERS * PEER_BYTES;
    }

    private long vidAddress(final int number) {
        return vids + (long) number * VID_BYTES;
    }

    /** Address of the entry of all hosts that have none of their own. */
    long others() {
        return header + OTHERS_OFFSET;
    }

    /** Address of the entry of a host, by its number; 0 if it has none. For who writes peers. */
    long entryOf(final int host) {
        final long position = positionOfHost.get(host);
        return position == 0 ? 0 : buckets + (position - 1) * PEER_BYTES;
    }

    /** Address of the counts of an entry, that of all others included. */
    long countsOf(final long entry) {
        return entry == others() ? header + OTHERS_COUNTS_OFFSET : counts + (entry - buckets);
    }

    /** Address of the entry of a MAC address, as in memory; 0 if it has none. */
    long find(final long mac) {
        final long entry = findIn(bucket(mac, FIRST_FACTOR), mac);
        return entry == 0 ? findIn(bucket(mac, SECOND_FACTOR), mac) : entry;
    }

    private long findIn(final int bucket, final long mac) {
        final long first = bucketAddress(bucket);
        for (int offset = 0; offset < BUCKET_PEERS * PEER_BYTES; offset += PEER_BYTES) {
            if (Memory.getLong(first + offset + MAC_OFFSET) == mac) {
                return first + offset;
            }
        }
        return 0;
    }

    // As in TagPrograms.
    private int bucket(final long mac, final long factor) {
        return (int) ((((mac * factor) >>> Integer.SIZE) * bucketCount) >>> Integer.SIZE);
    }

    /**
     * Makes an entry, which frames to the address take from then on.
     *
     * @param mac as in memory, not 0, without an entry.
     * @param host number of the host.
     * @param paths both, as {@link #path} describes.
     * @return false if there is no room for it.
     */
    boolean add(final long mac, final int host, final int paths) {
        try (Arena arena = Arena.ofConfined()) {
            final long guest = arena.allocate(PEER_BYTES + COUNTS_BYTES, Long.BYTES).address();
            final long pushed = arena.allocate(PEER_BYTES + COUNTS_BYTES, Long.BYTES).address();
            Memory.putLong(guest + MAC_OFFSET, mac);
            Memory.putShort(guest + HOST_OFFSET, host);
            Memory.putShort(guest + PATHS_OFFSET, paths);
            Memory.putShort(guest + PATHS_OFFSET + Short.BYTES, paths);
            return place(guest, pushed);
        }
    }

    // A peer pushed out of its bucket goes to its other one, and may push another out there. In
    // between, its frames take the path of others.
    private boolean place(final long guest, final long pushed) {
        for (int move = 0; move < MAX_MOVES; move++) {
            final long mac = Memory.getLong(guest + MAC_OFFSET);
            long room = findIn(bucket(mac, FIRST_FACTOR), 0);
            room = room == 0 ? findIn(bucket(mac, SECOND_FACTOR), 0) : room;
            if (room != 0) {
                write(guest, room);
                return true;
            }
            final long factor = random.nextBoolean() ? FIRST_FACTOR : SECOND_FACTOR;
            final long victim =
                    bucketAddress(bucket(mac, factor))
                            + (long) random.nextInt(BUCKET_PEERS) * PEER_BYTES;
            Memory.copy(victim, pushed, PEER_BYTES);
            Memory.copy(countsOf(victim), pushed + PEER_BYTES, COUNTS_BYTES);
            write(guest, victim);
            Memory.copy(pushed, guest, PEER_BYTES + COUNTS_BYTES);
        }
        return false;
    }

    /**
     * Copies an entry, after which its counts lie, to its place. The address is written last, so
     * that nobody finds an entry half written.
     */
    private void write(final long from, final long to) {
        positionOfHost.set(
                Memory.getUnsignedShort(from + HOST_OFFSET), (to - buckets) / PEER_BYTES + 1);
        Memory.putLongRelease(to + MAC_OFFSET, 0);
        // A reader that reads a path and then finds its own address has not read that of another.
        VarHandle.storeStoreFence();
        Memory.copy(from + Long.BYTES, to + Long.BYTES, PEER_BYTES - Long.BYTES);
        Memory.copy(from + PEER_BYTES, countsOf(to), COUNTS_BYTES);
        Memory.putLongRelease(to + MAC_OFFSET, Memory.getLong(from + MAC_OFFSET));
    }

    /** Takes an entry away; frames to its address take the path of others. */
    void remove(final long entry) {
        positionOfHost.set(Memory.getUnsignedShort(entry + HOST_OFFSET), 0);
        Memory.putLongRelease(entry + MAC_OFFSET, 0);
    }

    /** Sets the path of an entry that does not hold yet: the number of a VID, 0 for no tag. */
    void prepare(final long entry, final int number) {
        Memory.putShort(entry + PATHS_OFFSET + (long) Short.BYTES * (1 - active()), number);
    }

    /** Lets the path that does not hold be the one that holds. */
    void settle(final long entry) {
        prepare(entry, path(entry));
    }

    /** From the next frame on, what was prepared holds. */
    void swap() {
        Memory.putIntRelease(header + ACTIVE_OFFSET, 1 - active());
    }

    /** The path of an entry that holds: the number of its VID, 0 for no tag. */
    int path(final long entry) {
        return Memory.getUnsignedShort(entry + PATHS_OFFSET + (long) Short.BYTES * active());
    }

    /**
     * True if an entry is still that of an address for which it was found, so that a path that was
     * read of it meanwhile is the address's own, too.
     */
    static boolean isStillOf(final long entry, final long mac) {
        VarHandle.loadLoadFence();
        return Memory.getLong(entry + MAC_OFFSET) == mac;
    }

    private int active() {
        return Memory.getIntAcquire(header + ACTIVE_OFFSET);
    }

    /** The VID of a number; 0 for number 0. */
    int vid(final int number) {
        return number == 0 ? 0 : (int) Memory.getLong(vidAddress(number) + VID_OFFSET);
    }

    /** From now on, frames of a VID leave by another NIC. */
    void leaveBy(final int number, final int ifindex) {
        Memory.putIntRelease(vidAddress(number) + NIC_OFFSET, ifindex);
    }

    /** One of the counts of a VID, by its number. */
    long count(final int number, final int offset) {
        return Memory.getLongVolatile(vidAddress(number) + offset);
    }

    /** Counts frames that were sent to a peer; by the only thread that tags. */
    void countSent(final long entry, final long lengthBytes, final long frames) {
        add(countsOf(entry) + BYTES_OFFSET, lengthBytes);
        add(countsOf(entry) + FRAMES_OFFSET, frames);
    }

    /** Counts frames that were sent with a VID, by its number; by the only thread that tags. */
    void countSentVid(final int number, final long lengthBytes, final long frames) {
        add(vidAddress(number) + SENT_BYTES_OFFSET, lengthBytes);
        add(vidAddress(number) + SENT_FRAMES_OFFSET, frames);
    }

    /** Counts frames that came with a VID, by its number; by the only thread that tags. */
    void countReceived(final int number, final long lengthBytes, final long frames) {
        add(vidAddress(number) + RECEIVED_BYTES_OFFSET, lengthBytes);
        add(vidAddress(number) + RECEIVED_FRAMES_OFFSET, frames);
    }

    private static void add(final long address, final long amount) {
        Memory.putLongRelease(address, Memory.getLong(address) + amount);
    }

    /** Notes that the last frame of a peer came with a VID, by its number. */
    static void hear(final long entry, final int number) {
        Memory.putShort(entry + HEARD_OFFSET, number);
    }
}
