package io.hxb.forward.kernel;

import static io.hxb.os.bpf.BpfCode.BYTE;
import static io.hxb.os.bpf.BpfCode.DOUBLE;
import static io.hxb.os.bpf.BpfCode.HALF;
import static io.hxb.os.bpf.BpfCode.R0;
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
import static io.hxb.os.bpf.BpfCode.R3;
import static io.hxb.os.bpf.BpfCode.R4;
import static io.hxb.os.bpf.BpfCode.R5;
import static io.hxb.os.bpf.BpfCode.R6;
import static io.hxb.os.bpf.BpfCode.R7;
import static io.hxb.os.bpf.BpfCode.R8;
import static io.hxb.os.bpf.BpfCode.R9;
import static io.hxb.os.bpf.BpfCode.WORD;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.raw.IpHeaders;
import io.hxb.os.bpf.BpfArray;
import io.hxb.os.bpf.BpfCode;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;

import java.util.Arrays;

/**
 * Writes the program of one port. It relays a frame as {@link io.hxb.forward.Forwarder} does, with
 * new addresses and EtherType and one hop less, and counts it; nothing else of the frame changes.
 * Frames by IP go on by IP, trains of them ({@link TrainCode}) and long frames ({@link
 * SegmentCode}) in one piece. It passes on to the node, untouched, every frame that is not valid,
 * is not to be relayed, is on a detour, cannot be sent, or arrives while the node shows no sign of
 * life. Used by one thread.
 *
 * <p>Registers that last: 6 the frame; 7 the number of the link in its trunk, then the port that
 * sends; 8 the next hop's coordinate; 9 the trunk. Jumps to "pass" leave the frame to the node.
 */
final class RelayProgram {
    /** Without a turn for this time, the node is considered dead or asleep, and gets the frames. */
    static final long ALIVE_NS = 5_000_000;

    static final int ETHERNET_BYTES = 14;
    private static final int HEAD_BYTES = ETHERNET_BYTES + FrameHeaderFlyweight.LENGTH;
    private static final int CHANGED_BYTES =
            ETHERNET_BYTES + FrameHeaderFlyweight.HOP_LIMIT_OFFSET + 1;
    private static final int CHANGED_BYTES_OF_LISTS =
            ETHERNET_BYTES + FrameHeaderFlyweight.ORDER_OFFSET + Integer.BYTES;
    private static final int WEIGHT_MASK = Port.FULL_WEIGHT - 1;
    private static final int COORDINATE_MASK = Shape.MAX_EXTENT - 1;

    // On the stack: the frame's head, so that its header lies at a multiple of 8, and below it
    // everything that does not fit into registers.
    static final int HEADER = -FrameHeaderFlyweight.LENGTH;
    static final int ETHERNET = -HEAD_BYTES;
    static final int SOURCE_MAC = ETHERNET + 6;
    static final int ETHER_TYPE = ETHERNET + 12;
    private static final int KEY = -88;
    private static final int NEIGHBOUR = -96;
    private static final int NODE = -104;
    private static final int WEIGHT = -112;
    private static final int PORT = -120;
    private static final int RECEIVER = -128;
    private static final int NEXT_MAC = -136;

    // What arrived: bytes of all its frames, how many they are, bytes of the longest with an
    // Ethernet header, and whether it came by IP.
    static final int PAYLOAD = -144;
    static final int FRAMES = -152;
    static final int LONGEST = -160;
    static final int IS_BY_IP = -168;

    // When it arrived, in ns of CLOCK_MONOTONIC; below what IpCode uses.
    private static final int ARRIVED = -288;

    private final ClusterConfig cluster;
    private final long here;
    private final RelayTable table;
    private final int port;
    private final long aliveNs;
    private final int dimensions;
    private final int maxLinks;
    private final BpfCode code = new BpfCode();
    // Null where nothing travels by IP.
    private final IpCode ip;

    /**
     * Prepares the program of a port.
     *
     * @param cluster the cluster that the node belongs to.
     * @param here coordinate vector of the node.
     * @param table what the node's programs share.
     * @param links ports of each trunk, {@code [dimensions]}.
     * @param port number of the port in the table.
     * @param aliveNs how long the node is alive after a turn, in ns, such as {@link #ALIVE_NS}.
     */
    RelayProgram(
            final ClusterConfig cluster,
            final long here,
            final RelayTable table,
            final int[] links,
            final int port,
            final long aliveNs) {
        this.cluster = cluster;
        this.here = here;
        this.table = table;
        this.port = port;
        this.aliveNs = aliveNs;
        dimensions = links.length;
        maxLinks = Arrays.stream(links).max().orElseThrow();
        ip = ipCode();
    }

    private IpCode ipCode() {
        final int etherType = cluster.frame().etherType();
        if (cluster.frame().mayUseUdp()) {
            return new TrainCode(code, cluster.clusterId(), etherType);
        }
        return cluster.frame().mayUseSegments() && dimensions <= SegmentCode.MAX_DIMENSIONS
                ? new SegmentCode(code, etherType)
                : null;
    }

    /** Writes it; once. */
    BpfCode write() {
        code.move(R6, R1);
        read();
        checkNode();
        checkReceiver();
        findSender();
        check();
        if (cluster.shape().isAnyCabling()) {
            findHopOfMap();
        } else {
            findHop();
        }
        code.label("for its ring").store(HALF, R10, ETHER_TYPE, R2);
        lookUp(table.trunks());
        code.move(R9, R0);
        chooseLink();
        if (cluster.shape().isAnyCabling()) {
            noteBusy();
        }
        rewrite();
        count();
        trace();
        return code.load(WORD, R1, R7, RelayTable.NIC_OFFSET)
                .set(R2, 0)
                .call(BpfCode.REDIRECT)
                .exit()
                .label("pass")
                .set(R0, BpfCode.TCX_NEXT)
                .exit();
    }

    private void read() {
        code.load(WORD, R1, R6, BpfCode.SKB_VLAN_PRESENT)
                .jumpIfNotZero(R1, "pass")
                .load(WORD, R1, R6, BpfCode.SKB_PROTOCOL);
        if (ip != null) {
            code.jumpIfNotWord(R1, networkOrder(IpHeaders.ETHER_TYPE), "by EtherType");
            ip.readHead();
            code.jump("read").label("by EtherType");
        }
        readHead();
        code.label("read")
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.DESTINATION_OFFSET)
                .setLong(R2, here)
                .jumpIfEqual(R1, R2, "pass");
    }

    private void readHead() {
        code.jumpIfNotWord(R1, networkOrder(cluster.frame().relayEtherType()), "pass")
                .load(WORD, R7, R6, BpfCode.SKB_LENGTH)
                .jumpIfLessValue(R7, HEAD_BYTES, "pass")
                .move(R1, R6)
                .set(R2, 0)
                .move(R3, R10)
                .plus(R3, ETHERNET)
                .set(R4, HEAD_BYTES)
                .call(BpfCode.SKB_LOAD_BYTES)
                .jumpIfNotZero(R0, "pass")
                .storeValue(DOUBLE, R10, IS_BY_IP, 0)
                .storeValue(DOUBLE, R10, FRAMES, 1)
                .store(DOUBLE, R10, LONGEST, R7)
                .plus(R7, -ETHERNET_BYTES)
                .store(DOUBLE, R10, PAYLOAD, R7);
    }

    // A new turn is a sign of life; otherwise the age of the last one counts.
    private void checkNode() {
        code.storeValue(WORD, R10, KEY, 0);
        lookUp(table.node());
        code.store(DOUBLE, R10, NODE, R0)
                .move(R7, R0)
                .call(BpfCode.KTIME_GET_NS)
                .store(DOUBLE, R10, ARRIVED, R0)
                .load(DOUBLE, R1, R7, RelayTable.TURNS_OFFSET)
                .load(DOUBLE, R2, R7, RelayTable.SEEN_TURNS_OFFSET)
                .jumpIfEqual(R1, R2, "same turn")
                .store(DOUBLE, R7, RelayTable.SEEN_TURNS_OFFSET, R1)
                .store(DOUBLE, R7, RelayTable.SEEN_NS_OFFSET, R0)
                .jump("alive")
                .label("same turn")
                .load(DOUBLE, R1, R7, RelayTable.SEEN_NS_OFFSET)
                .setLong(R2, aliveNs)
                .plusRegister(R1, R2)
                .jumpIfGreater(R0, R1, ip instanceof SegmentCode ? "asleep" : "pass")
                .label("alive");
        if (ip instanceof SegmentCode) {
            checkLeft();
        }
    }

    // The segments of a frame of which the first was left to the node are left to it as well,
    // although the node has woken up by then.
    private void checkLeft() {
        code.load(DOUBLE, R1, R10, IS_BY_IP)
                .jumpIfZero(R1, "not left")
                .load(WORD, R1, R10, IpCode.IP + SegmentCode.NUMBER_OFFSET)
                .load(WORD, R2, R7, RelayTable.LEFT_OFFSET)
                .jumpIfEqual(R1, R2, "pass")
                .jump("not left")
                .label("asleep")
                .load(DOUBLE, R1, R10, IS_BY_IP)
                .jumpIfZero(R1, "pass")
                .load(WORD, R1, R10, IpCode.IP + SegmentCode.NUMBER_OFFSET)
                .store(WORD, R7, RelayTable.LEFT_OFFSET, R1)
                .jump("pass")
                .label("not left");
    }

    // As RawFilter: switches flood, and this node must not relay what is for another station.
    private void checkReceiver() {
        code.storeValue(WORD, R10, KEY, port);
        lookUp(table.ports());
        code.store(DOUBLE, R10, RECEIVER, R0)
                .load(HALF, R1, R10, ETHERNET + 4)
                .shiftLeft(R1, 16)
                .load(HALF, R2, R10, ETHERNET + 2)
                .orRegister(R1, R2)
                .shiftLeft(R1, 16)
                .load(HALF, R2, R10, ETHERNET)
                .orRegister(R1, R2)
                .load(DOUBLE, R2, R0, RelayTable.MAC_OFFSET)
                .xorRegister(R1, R2)
                .jumpIfNotZero(R1, "pass");
    }

    private void findSender() {
        code.load(DOUBLE, R1, R10, SOURCE_MAC)
                .shiftLeft(R1, Long.SIZE - RelayTable.MAC_BITS)
                .shiftRight(R1, Long.SIZE - RelayTable.MAC_BITS)
                .setLong(R2, (long) port << RelayTable.MAC_BITS)
                .orRegister(R1, R2)
                .store(DOUBLE, R10, KEY, R1)
                .move(R2, R10)
                .plus(R2, KEY)
                .map(R1, table.neighbours())
                .call(BpfCode.MAP_LOOKUP_ELEM)
                .jumpIfZero(R0, "pass")
                .load(DOUBLE, R1, R0, 0)
                .store(DOUBLE, R10, NEIGHBOUR, R1);
    }

    private void check() {
        if (ip == null) {
            checkHeader();
            return;
        }
        code.load(DOUBLE, R1, R10, IS_BY_IP).jumpIfZero(R1, "one frame");
        ip.check();
        code.jump("checked").label("one frame");
        checkHeader();
        code.label("checked");
    }

    // As FrameValidator.checkHeader, for what is counted as sent here has to count as arrived
    // there;
    // a frame on its last link is for the node, too.
    private void checkHeader() {
        code.load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.VERSION_OFFSET)
                .jumpIfNotWord(R1, FrameHeaderFlyweight.VERSION, "pass")
                .load(WORD, R1, R10, HEADER + FrameHeaderFlyweight.CLUSTER_OFFSET)
                .jumpIfNotWord(R1, cluster.clusterId(), "pass")
                .load(WORD, R1, R10, HEADER + FrameHeaderFlyweight.BODY_OFFSET)
                .and(R1, FrameHeaderFlyweight.MAX_BODY_LENGTH)
                .plus(R1, HEAD_BYTES)
                .load(BYTE, R2, R10, HEADER + FrameHeaderFlyweight.FLAGS_OFFSET)
                .and(R2, FrameHeaderFlyweight.FLAG_SEALED)
                .jumpIfZero(R2, "without trailer")
                .plus(R1, SealFlyweight.LENGTH)
                .label("without trailer")
                .load(WORD, R2, R6, BpfCode.SKB_LENGTH)
                .jumpIfGreater(R1, R2, "pass")
                .load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.HOP_LIMIT_OFFSET)
                .jumpIfLessValue(R1, 2, "pass")
                .plus(R1, -1)
                .store(BYTE, R10, HEADER + FrameHeaderFlyweight.HOP_LIMIT_OFFSET, R1);
    }

    // As DimensionOrder.nextDimension, then the EtherType that the next hop expects, as
    // RawLinkSender.
    private void findHop() {
        code.load(WORD, R9, R10, HEADER + FrameHeaderFlyweight.ORDER_OFFSET)
                .move(R1, R9)
                .shiftRight(R1, Integer.SIZE - 1)
                .jumpIfNotZero(R1, "pass")
                .load(DOUBLE, R8, R10, HEADER + FrameHeaderFlyweight.DESTINATION_OFFSET)
                .jumpIfValue(R8, (int) FrameHeaderFlyweight.ANY_DESTINATION, "pass")
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.SOURCE_OFFSET)
                .setLong(R2, here)
                .jumpIfEqual(R1, R2, "pass")
                .move(R1, R8)
                .xorRegister(R1, R2);
        for (int place = 0; place < Shape.MAX_DIMENSIONS; place++) {
            code.move(R2, R9)
                    .and(R2, 7)
                    .move(R3, R2)
                    .shiftLeft(R3, 3)
                    .move(R4, R1)
                    .shiftRightRegister(R4, R3)
                    .and(R4, COORDINATE_MASK)
                    .jumpIfNotZero(R4, "hop")
                    .shiftRight(R9, 4);
        }
        code.jump("pass")
                .label("hop")
                .jumpIfGreaterValue(R2, dimensions - 1, "pass")
                .shiftRightRegister(R8, R3)
                .and(R8, COORDINATE_MASK)
                .store(WORD, R10, KEY, R2)
                .shiftLeftRegister(R4, R3)
                .xorRegister(R1, R4)
                .set(R2, networkOrder(cluster.frame().relayEtherType()))
                .jumpIfNotZero(R1, "for its ring")
                .load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.FLAGS_OFFSET)
                .and(R1, FrameHeaderFlyweight.FLAG_SPARSE)
                .jumpIfNotZero(R1, "for its ring")
                .set(R2, networkOrder(cluster.frame().etherType()));
    }

    // As RouteCodec.nextHop with any cabling: a list of hops, then what the map says.
    private void findHopOfMap() {
        final ListedHops lists = new ListedHops(cluster.shape());
        code.load(DOUBLE, R8, R10, HEADER + FrameHeaderFlyweight.DESTINATION_OFFSET)
                .jumpIfGreaterValue(R8, COORDINATE_MASK, "pass")
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.SOURCE_OFFSET)
                .jumpIfValue(R1, (int) here, "pass")
                .move(R5, R8)
                .load(WORD, R9, R10, HEADER + FrameHeaderFlyweight.ORDER_OFFSET)
                .move(R1, R9)
                .shiftRight(R1, Integer.SIZE - 1)
                .jumpIfZero(R1, "by the map");
        lists.write(code, (int) here, "by the map");
        code.jump("hop")
                .label("by the map")
                .load(DOUBLE, R2, R10, NODE)
                .plusRegister(R2, R5)
                .load(BYTE, R8, R2, RelayTable.NEXT_HOPS_OFFSET)
                .label("hop")
                .jumpIfGreaterValue(R8, cluster.shape().nodeCount() - 1, "pass")
                .storeValue(WORD, R10, KEY, 0)
                .set(R2, networkOrder(cluster.frame().relayEtherType()))
                .move(R1, R8)
                .xorRegister(R1, R5)
                .jumpIfNotZero(R1, "for its ring")
                .load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.FLAGS_OFFSET)
                .and(R1, FrameHeaderFlyweight.FLAG_SPARSE)
                .jumpIfNotZero(R1, "for its ring")
                .set(R2, networkOrder(cluster.frame().etherType()));
    }

    // As TrunkSender.offer: round robin; a link of a smaller weight takes its share by chance.
    // Fragments of one frame take one link, as by TrunkSender.offerFragment.
    private void chooseLink() {
        code.load(WORD, R1, R9, RelayTable.COUNT_OFFSET);
        if (ip instanceof SegmentCode) {
            chooseLinkOfFrame();
        }
        code.load(BYTE, R2, R10, HEADER + FrameHeaderFlyweight.TYPE_OFFSET)
                .jumpIfNotWord(R2, FrameType.FRAGMENT, "any link")
                .jumpIfZero(R1, "pass")
                .load(WORD, R7, R10, HEADER + FragmentFlyweight.NUMBER_OFFSET)
                .modulo(R7, R1)
                .jump("first link")
                .label("any link")
                .load(WORD, R7, R9, RelayTable.NEXT_OFFSET)
                .jumpIfLess(R7, R1, "next is there")
                .set(R7, 0)
                .label("next is there")
                .move(R2, R7)
                .plus(R2, 1)
                .store(WORD, R9, RelayTable.NEXT_OFFSET, R2)
                .label("first link");
        for (int tried = 0; tried < maxLinks; tried++) {
            final String following = "link " + (tried + 1);
            code.load(WORD, R1, R9, RelayTable.FIRST_OFFSET)
                    .plusRegister(R1, R7)
                    .store(WORD, R10, KEY, R1);
            lookUp(table.ports());
            code.load(WORD, R1, R0, RelayTable.NIC_OFFSET)
                    .jumpIfZero(R1, following)
                    .move(R1, R0)
                    .plusRegister(R1, R8)
                    .load(BYTE, R1, R1, RelayTable.WEIGHTS_OFFSET)
                    .jumpIfZero(R1, following);
            findAddress(following);
            code.jumpIfGreaterValue(R1, WEIGHT_MASK, "chosen");
            if (ip instanceof SegmentCode) {
                code.load(DOUBLE, R2, R10, IS_BY_IP).jumpIfNotZero(R2, "chosen");
            }
            code.load(BYTE, R2, R10, HEADER + FrameHeaderFlyweight.TYPE_OFFSET)
                    .jumpIfValue(R2, FrameType.FRAGMENT, "chosen")
                    .store(DOUBLE, R10, WEIGHT, R1)
                    .store(DOUBLE, R10, PORT, R0)
                    .call(BpfCode.GET_PRANDOM_U32)
                    .move(R2, R0)
                    .and(R2, WEIGHT_MASK)
                    .load(DOUBLE, R0, R10, PORT)
                    .load(DOUBLE, R1, R10, WEIGHT)
                    .jumpIfLess(R2, R1, "chosen")
                    .label(following)
                    .plus(R7, 1)
                    .load(WORD, R1, R9, RelayTable.COUNT_OFFSET)
                    .jumpIfLess(R7, R1, following + " is there")
                    .set(R7, 0)
                    .label(following + " is there");
        }
        code.jump("pass").label("chosen").move(R7, R0);
    }

    // Segments take the link that the number of their frame selects; a link of a smaller weight
    // then
    // takes its full share.
    private void chooseLinkOfFrame() {
        code.load(DOUBLE, R2, R10, IS_BY_IP).jumpIfZero(R2, "no segment");
        ip.chooseFirst();
        code.jump("first link").label("no segment");
    }

    // Where the neighbour has an address for what arrived, register 1 with its weight is kept.
    private void findAddress(final String otherwise) {
        code.move(R2, R8).shiftLeft(R2, 3).plusRegister(R2, R0);
        if (ip != null) {
            final String isByEtherType = "address, else " + otherwise;
            final String found = "found, else " + otherwise;
            code.load(DOUBLE, R3, R10, IS_BY_IP)
                    .jumpIfZero(R3, isByEtherType)
                    .load(DOUBLE, R2, R2, RelayTable.IP_MACS_OFFSET)
                    .jump(found)
                    .label(isByEtherType)
                    .load(DOUBLE, R2, R2, RelayTable.MACS_OFFSET)
                    .label(found);
        } else {
            code.load(DOUBLE, R2, R2, RelayTable.MACS_OFFSET);
        }
        code.jumpIfZero(R2, otherwise).store(DOUBLE, R10, NEXT_MAC, R2);
    }

    // A frame on a longer way whose link is full of others goes on all the same, but the node will
    // report it to its source. Two programs at one moment may write over each other.
    private void noteBusy() {
        code.load(WORD, R1, R10, HEADER + FrameHeaderFlyweight.ORDER_OFFSET)
                .jumpIfValue(R1, DimensionOrder.DEFAULT, "not busy")
                .load(DOUBLE, R2, R7, RelayTable.BUSY_UNTIL_OFFSET)
                .load(DOUBLE, R3, R10, ARRIVED)
                .jumpIfNotLess(R3, R2, "not busy")
                .load(DOUBLE, R4, R10, NODE)
                .load(DOUBLE, R5, R4, RelayTable.BUSY_OFFSET)
                .move(R2, R5)
                .and(R2, RelayTable.BUSY_ROUTES - 1)
                .shiftLeft(R2, RelayTable.BUSY_SHIFT)
                .plusRegister(R2, R4)
                .store(WORD, R2, RelayTable.BUSY_ROUTES_OFFSET + RelayTable.BUSY_ORDER_OFFSET, R1)
                .load(HALF, R1, R10, HEADER + FrameHeaderFlyweight.DETOUR_OFFSET)
                .store(WORD, R2, RelayTable.BUSY_ROUTES_OFFSET + RelayTable.BUSY_DETOUR_OFFSET, R1)
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.SOURCE_OFFSET)
                .store(DOUBLE, R2, RelayTable.BUSY_ROUTES_OFFSET, R1)
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.DESTINATION_OFFSET)
                .store(
                        DOUBLE,
                        R2,
                        RelayTable.BUSY_ROUTES_OFFSET + RelayTable.BUSY_DESTINATION_OFFSET,
                        R1)
                .plus(R5, 1)
                .store(DOUBLE, R4, RelayTable.BUSY_OFFSET, R5)
                .label("not busy");
    }

    private void rewrite() {
        code.load(DOUBLE, R1, R10, NEXT_MAC)
                .store(HALF, R10, ETHERNET, R1)
                .shiftRight(R1, 16)
                .store(HALF, R10, ETHERNET + 2, R1)
                .shiftRight(R1, 16)
                .store(HALF, R10, ETHERNET + 4, R1)
                .load(DOUBLE, R1, R7, RelayTable.MAC_OFFSET)
                .store(WORD, R10, SOURCE_MAC, R1)
                .shiftRight(R1, 32)
                .store(HALF, R10, SOURCE_MAC + 4, R1)
                .load(WORD, R1, R7, RelayTable.LONGEST_OFFSET)
                .load(DOUBLE, R2, R10, LONGEST)
                .jumpIfGreater(R2, R1, "pass")
                .set(
                        R4,
                        cluster.shape().isAnyCabling() ? CHANGED_BYTES_OF_LISTS : CHANGED_BYTES);
        if (ip != null) {
            code.load(DOUBLE, R1, R10, IS_BY_IP).jumpIfZero(R1, "write");
            ip.lineUp();
            code.label("write");
        }
        code.move(R1, R6)
                .set(R2, 0)
                .move(R3, R10)
                .plus(R3, ETHERNET)
                .set(R5, 0)
                .call(BpfCode.SKB_STORE_BYTES)
                .jumpIfNotZero(R0, "pass");
    }

    private void count() {
        code.load(DOUBLE, R9, R10, PAYLOAD)
                .load(DOUBLE, R1, R10, FRAMES)
                .addAtomically(DOUBLE, R7, RelayTable.SENT_FRAMES_OFFSET, R1)
                .addAtomically(DOUBLE, R7, RelayTable.SENT_BYTES_OFFSET, R9)
                .shiftLeft(R8, 2)
                .plusRegister(R8, R7)
                .addAtomically(WORD, R8, RelayTable.SENT_OFFSET, R1)
                .load(DOUBLE, R2, R10, NODE)
                .addAtomically(DOUBLE, R2, RelayTable.RELAYED_OFFSET, R1)
                .load(DOUBLE, R3, R10, RECEIVER)
                .addAtomically(DOUBLE, R3, RelayTable.RECEIVED_FRAMES_OFFSET, R1)
                .addAtomically(DOUBLE, R3, RelayTable.RECEIVED_BYTES_OFFSET, R9)
                .load(DOUBLE, R2, R10, NEIGHBOUR)
                .and(R2, COORDINATE_MASK)
                .shiftLeft(R2, 2)
                .plusRegister(R2, R3)
                .addAtomically(WORD, R2, RelayTable.HEARD_OFFSET, R1);
        if (ip != null) {
            code.jumpIfLessValue(R1, 2, "relayed")
                    .load(DOUBLE, R2, R10, NODE)
                    .set(R1, 1)
                    .addAtomically(DOUBLE, R2, RelayTable.RELAYED_TRAINS_OFFSET, R1)
                    .label("relayed");
        }
    }

    // What the node reports to the source. Two programs at one moment may write over each other.
    private void trace() {
        code.load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.TYPE_OFFSET)
                .jumpIfNotWord(R1, FrameType.TRACE, "not traced")
                .call(BpfCode.KTIME_GET_NS)
                .load(DOUBLE, R1, R10, ARRIVED)
                .minusRegister(R0, R1)
                .load(DOUBLE, R2, R10, NODE)
                .load(DOUBLE, R3, R2, RelayTable.TRACED_OFFSET)
                .move(R4, R3)
                .and(R4, RelayTable.TRACES - 1)
                .shiftLeft(R4, RelayTable.TRACE_SHIFT)
                .plusRegister(R4, R2)
                .plus(R4, RelayTable.TRACES_OFFSET)
                .store(DOUBLE, R4, RelayTable.TRACE_STAY_OFFSET, R0)
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.SOURCE_OFFSET)
                .store(DOUBLE, R4, RelayTable.TRACE_SOURCE_OFFSET, R1)
                .load(DOUBLE, R1, R10, HEADER + FrameHeaderFlyweight.SEQUENCE_OFFSET)
                .store(DOUBLE, R4, RelayTable.TRACE_NUMBER_OFFSET, R1)
                .load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.HOP_LIMIT_OFFSET)
                .store(BYTE, R4, RelayTable.TRACE_HOP_LIMIT_OFFSET, R1)
                .storeValue(WORD, R4, RelayTable.TRACE_PORT_OFFSET, port)
                .load(WORD, R1, R7, RelayTable.NIC_OFFSET)
                .store(WORD, R4, RelayTable.TRACE_NIC_OFFSET, R1)
                .plus(R3, 1)
                .store(DOUBLE, R2, RelayTable.TRACED_OFFSET, R3)
                .label("not traced");
    }

    /** Looks up the WORD at KEY; the value's address is in register 0 then. */
    private void lookUp(final BpfArray array) {
        code.move(R2, R10)
                .plus(R2, KEY)
                .map(R1, array)
                .call(BpfCode.MAP_LOOKUP_ELEM)
                .jumpIfZero(R0, "pass");
    }

    static int networkOrder(final int etherType) {
        return Short.toUnsignedInt(Short.reverseBytes((short) etherType));
    }
}
