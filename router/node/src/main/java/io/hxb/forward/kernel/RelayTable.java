package io.hxb.forward.kernel;

import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfArray;
import io.hxb.os.bpf.BpfHash;
import io.hxb.routing.Route;
import io.hxb.topology.Shape;

/**
 * The table that a node and its relay programs share. The node writes it, the programs count in it;
 * any thread may call it. What one side writes often lies in cache lines of its own.
 *
 * <pre>
 * the node, 1,088 bytes:
 * offset length meaning (all in native order)
 *      0      8 turns of the node's loops, so that the programs see that it is alive
 *     64      8 the turn that a program has seen last
 *     72      8 when it saw that turn first, in ns of CLOCK_MONOTONIC
 *    128      8 frames relayed
 *    136      8 trains relayed: of these, those that came and went several at once
 *    144      4 number of the long frame that was left to the node last, since it was asleep
 *    152      8 traced frames relayed
 *    160      8 frames on longer ways relayed over busy links
 *    192    512 the last {@value #TRACES} of these, 64 bytes each:
 *               0 8 source coordinates
 *               8 8 number
 *              16 1 hop limit with which it left
 *              20 4 port on which it arrived
 *              24 4 number of the NIC by which it left
 *              32 8 ns between the two
 *    704    256 with any cabling, the next hop by destination; {@value #NO_HOP} for none
 *    960    128 the last {@value #BUSY_ROUTES} frames on longer ways over busy links, 32 bytes each:
 *               0 8 source coordinates
 *               8 8 destination coordinates
 *              16 4 order of the header
 *              20 4 upper bits of the detour
 *
 * a trunk, 16 bytes, by dimension:
 *      0      4 its first port
 *      4      4 its ports
 *      8      4 the port whose turn is next, from 0
 *
 * a port, 6,528 bytes, trunk after trunk:
 *      0      4 number of the NIC, 0 while it cannot be used
 *      4      4 bytes of its longest frame, Ethernet header included
 *      8      8 its MAC address, as in memory
 *     16      8 until when it is full of frames whose shortest way it is, ns of CLOCK_MONOTONIC
 *     64      8 frames received here and relayed
 *     72      8 their bytes of HXB header and body
 *     80      8 frames relayed and sent here
 *     88      8 their bytes of HXB header and body
 *    128    256 weight, by neighbour
 *    384   2048 the neighbour's MAC address, as in memory; 0 if not known
 *   2432   1024 frames received from it and relayed, modulo 2^32
 *   3456   1024 frames relayed to it, modulo 2^32
 *   4480   2048 the MAC address to which it is sent IP, as in memory; 0 for none
 *
 * neighbours: port * 2^48 + MAC address as in memory -> coordinate
 * </pre>
 */
final class RelayTable implements AutoCloseable {
    static final int TURNS_OFFSET = 0;
    static final int SEEN_TURNS_OFFSET = 64;
    static final int SEEN_NS_OFFSET = 72;
    static final int RELAYED_OFFSET = 128;
    static final int RELAYED_TRAINS_OFFSET = 136;
    static final int LEFT_OFFSET = 144;
    static final int TRACED_OFFSET = 152;
    static final int TRACES_OFFSET = 192;
    static final int TRACES = 8;
    static final int TRACE_SHIFT = 6;
    static final int TRACE_SOURCE_OFFSET = 0;
    static final int TRACE_NUMBER_OFFSET = 8;
    static final int TRACE_HOP_LIMIT_OFFSET = 16;
    static final int TRACE_PORT_OFFSET = 20;
    static final int TRACE_NIC_OFFSET = 24;
    static final int TRACE_STAY_OFFSET = 32;
    static final int FIRST_OFFSET = 0;
    static final int COUNT_OFFSET = 4;
    static final int NEXT_OFFSET = 8;
    static final int NIC_OFFSET = 0;
    static final int LONGEST_OFFSET = 4;
    static final int MAC_OFFSET = 8;
    static final int RECEIVED_FRAMES_OFFSET = 64;
    static final int RECEIVED_BYTES_OFFSET = 72;
    static final int SENT_FRAMES_OFFSET = 80;
    static final int SENT_BYTES_OFFSET = 88;
    static final int WEIGHTS_OFFSET = 128;
    static final int MACS_OFFSET = WEIGHTS_OFFSET + Shape.MAX_EXTENT;
    static final int HEARD_OFFSET = MACS_OFFSET + Shape.MAX_EXTENT * Long.BYTES;
    static final int SENT_OFFSET = HEARD_OFFSET + Shape.MAX_EXTENT * Integer.BYTES;
    static final int IP_MACS_OFFSET = SENT_OFFSET + Shape.MAX_EXTENT * Integer.BYTES;
    static final int MAC_BITS = 48;

    static final int NEXT_HOPS_OFFSET = TRACES_OFFSET + (TRACES << TRACE_SHIFT);
    static final int NO_HOP = 255;

    static final int BUSY_OFFSET = 160;
    static final int BUSY_ROUTES_OFFSET = NEXT_HOPS_OFFSET + Shape.MAX_EXTENT;
    static final int BUSY_ROUTES = 4;
    static final int BUSY_SHIFT = 5;
    static final int BUSY_DESTINATION_OFFSET = 8;
    static final int BUSY_ORDER_OFFSET = 16;
    static final int BUSY_DETOUR_OFFSET = 20;
    static final int BUSY_UNTIL_OFFSET = 16;

    private static final int NODE_BYTES = BUSY_ROUTES_OFFSET + (BUSY_ROUTES << BUSY_SHIFT);
    private static final int TRUNK_BYTES = 16;
    private static final int PORT_BYTES = IP_MACS_OFFSET + Shape.MAX_EXTENT * Long.BYTES;

    private final BpfArray node;
    private final BpfArray trunks;
    private final BpfArray ports;
    private final BpfHash neighbours;

    private RelayTable(
            final BpfArray node,
            final BpfArray trunks,
            final BpfArray ports,
            final BpfHash neighbours) {
        this.node = node;
        this.trunks = trunks;
        this.ports = ports;
        this.neighbours = neighbours;
    }

    /**
     * Makes the table of a node.
     *
     * @param links ports of each trunk, {@code [dimensions]}.
     * @param stations NICs that all ports together can hear, 1 or more.
     * @throws LinuxException if the kernel refuses.
     */
    static RelayTable create(final int[] links, final int stations) throws LinuxException {
        BpfArray node = null;
        BpfArray trunks = null;
        BpfArray ports = null;
        try {
            node = BpfArray.create(1, NODE_BYTES);
            for (int destination = 0; destination < Shape.MAX_EXTENT; destination++) {
                Memory.putByte(node.address(0) + NEXT_HOPS_OFFSET + destination, NO_HOP);
            }
            trunks = BpfArray.create(links.length, TRUNK_BYTES);
            int first = 0;
            for (int dimension = 0; dimension < links.length; dimension++) {
                Memory.putInt(trunks.address(dimension) + FIRST_OFFSET, first);
                Memory.putInt(trunks.address(dimension) + COUNT_OFFSET, links[dimension]);
                first += links[dimension];
            }
            ports = BpfArray.create(first, PORT_BYTES);
            return new RelayTable(node, trunks, ports, BpfHash.create(stations));
        } catch (final LinuxException e) {
            closeAll(node, trunks, ports);
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

    BpfArray node() {
        return node;
    }

    BpfArray trunks() {
        return trunks;
    }

    BpfArray ports() {
        return ports;
    }

    BpfHash neighbours() {
        return neighbours;
    }

    /** A loop has done a turn. */
    void turn() {
        final long address = node.address(0) + TURNS_OFFSET;
        Memory.putLongRelease(address, Memory.getLong(address) + 1);
    }

    /** Sets until when a port is full of frames whose shortest way it is. */
    void busy(final int port, final long untilNs) {
        Memory.putLongVolatile(ports.address(port) + BUSY_UNTIL_OFFSET, untilNs);
    }

    /** Frames on longer ways relayed over busy links. */
    long busyFrames() {
        return Memory.getLongVolatile(node.address(0) + BUSY_OFFSET);
    }

    /** Reads what is kept of one of these, by its number from 0. */
    void readBusy(final long number, final RelayedRoute route) {
        final long address =
                node.address(0) + BUSY_ROUTES_OFFSET + ((number & BUSY_ROUTES - 1) << BUSY_SHIFT);
        route.set(
                Memory.getLong(address),
                Memory.getLong(address + BUSY_DESTINATION_OFFSET),
                Route.of(
                        Memory.getInt(address + BUSY_ORDER_OFFSET),
                        Memory.getInt(address + BUSY_DETOUR_OFFSET)));
    }

    /** Sets the next hop of frames to a destination; negative for none. */
    void nextHop(final int destination, final int hop) {
        Memory.putByte(
                node.address(0) + NEXT_HOPS_OFFSET + destination, hop < 0 ? NO_HOP : hop);
    }

    /** Frames relayed since start. */
    long relayedFrames() {
        return Memory.getLongVolatile(node.address(0) + RELAYED_OFFSET);
    }

    /** Trains relayed since start. */
    long relayedTrains() {
        return Memory.getLongVolatile(node.address(0) + RELAYED_TRAINS_OFFSET);
    }

    /** Traced frames relayed since start. */
    long traced() {
        return Memory.getLongVolatile(node.address(0) + TRACED_OFFSET);
    }

    /** Address of what is kept of the traced frame with this number, from 0. */
    long trace(final long traced) {
        return node.address(0) + TRACES_OFFSET + ((traced & TRACES - 1) << TRACE_SHIFT);
    }

    /** One of the counts of a port. */
    long count(final int port, final int offset) {
        return Memory.getLongVolatile(ports.address(port) + offset);
    }

    /** Lets frames be sent at a port. */
    void open(final int port, final int ifindex, final int longestBytes, final long mac) {
        final long address = ports.address(port);
        Memory.putInt(address + LONGEST_OFFSET, longestBytes);
        Memory.putLongVolatile(address + MAC_OFFSET, inMemory(mac));
        Memory.putIntVolatile(address + NIC_OFFSET, ifindex);
    }

    /** Lets no further frames be sent at a port. */
    void shut(final int port) {
        Memory.putIntVolatile(ports.address(port) + NIC_OFFSET, 0);
    }

    void weight(final int port, final int neighbour, final int weight) {
        Memory.putByte(ports.address(port) + WEIGHTS_OFFSET + neighbour, weight);
    }

    /** Sets the neighbour that has a MAC address at a port from now on. */
    void learn(final int port, final int neighbour, final long mac) throws LinuxException {
        final long address = ports.address(port) + MACS_OFFSET + (long) neighbour * Long.BYTES;
        final long before = Memory.getLong(address);
        neighbours.put(key(port, inMemory(mac)), neighbour);
        Memory.putLongVolatile(address, inMemory(mac));
        if (before != 0 && !isKnown(port, before)) {
            neighbours.remove(key(port, before));
        }
    }

    // Neighbours may have changed places, so that one has the address that another had.
    private boolean isKnown(final int port, final long mac) {
        final long macs = ports.address(port) + MACS_OFFSET;
        for (int neighbour = 0; neighbour < Shape.MAX_EXTENT; neighbour++) {
            if (Memory.getLong(macs + (long) neighbour * Long.BYTES) == mac) {
                return true;
            }
        }
        return false;
    }

    /** Sets where frames by IP to a neighbour go at a port; 0 for nowhere. */
    void learnIp(final int port, final int neighbour, final long mac) {
        final long address = ports.address(port) + IP_MACS_OFFSET + (long) neighbour * Long.BYTES;
        if (Memory.getLong(address) != inMemory(mac)) {
            Memory.putLongVolatile(address, inMemory(mac));
        }
    }

    int heardFrames(final int port, final int neighbour) {
        return Memory.getIntVolatile(ports.address(port) + HEARD_OFFSET + 4L * neighbour);
    }

    int sentFrames(final int port, final int neighbour) {
        return Memory.getIntVolatile(ports.address(port) + SENT_OFFSET + 4L * neighbour);
    }

    private static long key(final int port, final long mac) {
        return (long) port << MAC_BITS | mac;
    }

    /** A MAC address as its six bytes lie in memory, then two of 0. */
    static long inMemory(final long mac) {
        return Long.reverseBytes(mac << (Long.SIZE - MAC_BITS));
    }

    @Override
    public void close() {
        neighbours.close();
        closeAll(ports, trunks, node);
    }
}
