package io.hxb.vlan;

import static io.hxb.os.bpf.BpfCode.DOUBLE;
import static io.hxb.os.bpf.BpfCode.HALF;
import static io.hxb.os.bpf.BpfCode.R0;
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
import static io.hxb.os.bpf.BpfCode.R3;
import static io.hxb.os.bpf.BpfCode.R4;
import static io.hxb.os.bpf.BpfCode.R6;
import static io.hxb.os.bpf.BpfCode.R7;
import static io.hxb.os.bpf.BpfCode.R8;
import static io.hxb.os.bpf.BpfCode.R9;
import static io.hxb.os.bpf.BpfCode.WORD;

import io.hxb.os.bpf.BpfArray;
import io.hxb.os.bpf.BpfCode;

import java.util.function.Consumer;

/**
 * Writes the two programs of a NIC: frames that leave get the tag of their destination's path, and
 * frames that come in lose their tag. Frames that are tagged already, that only the next bridge is
 * to see (IEEE 802.1Q, table 8-1), or that come in without a tag or with a VID of another plan,
 * pass as they are. Super-packets stay whole: the tag travels beside them, and NIC or kernel write
 * it into each frame that they cut. Source: bpf-helpers(7), bpf_skb_vlan_push.
 */
final class TagPrograms {
    static final int TAGGED = 0x8100;
    static final int SERVICE_TAGGED = 0x88A8;
    static final int VID_MASK = 0xFFF;
    private static final int MAC_BYTES = 6;
    private static final int MAC_BITS = MAC_BYTES * Byte.SIZE;

    // 01-80-C2-00-00-00 to -0F, as in memory.
    static final int BRIDGE_PREFIX_BITS = 40;
    static final long BRIDGE_PREFIX = 0xC28001L;
    static final int BRIDGE_LAST_MASK = 0xF0;

    // BPF_F_INGRESS.
    private static final int REDIRECT_TO_INGRESS = 1;

    private static final int KEY = -8;
    private static final int HEAD = -16;
    private static final int NUMBER = -24;

    private TagPrograms() {}

    /** What sees frames before they leave the NIC. */
    static BpfCode egress(final TagMaps table) {
        return egress(table, code -> {});
    }

    /**
     * The same.
     *
     * @param meanwhile writes what happens when a peer was found, whose address is in register 7,
     *     and its path has not been read; leaves registers 0, 1 and 6 to 9 alone. For tests: the
     *     manager may do it on another CPU.
     */
    static BpfCode egress(final TagMaps table, final Consumer<BpfCode> meanwhile) {
        return push(table, meanwhile)
                .label("pass")
                .set(R0, BpfCode.TCX_NEXT)
                .exit()
                .label("drop")
                .set(R0, BpfCode.TCX_DROP)
                .exit();
    }

    /**
     * What sees frames that are sent through a device which stands for several NICs: they leave by
     * the NIC of their VID, and what has none leaves by none.
     */
    static BpfCode egressOfDevice(final TagMaps table) {
        return push(table, code -> {})
                .jumpIfZero(R9, "drop")
                .move(R1, R9)
                .set(R2, 0)
                .call(BpfCode.REDIRECT)
                .exit()
                .label("pass")
                .label("drop")
                .set(R0, BpfCode.TCX_DROP)
                .exit();
    }

    /**
     * Up to where the frame has its tag; register 9 is the ifindex of the NIC then. Registers that
     * keep their meaning: 6 the frame, 7 the peer.
     */
    private static BpfCode push(final TagMaps table, final Consumer<BpfCode> meanwhile) {
        final BpfCode code = new BpfCode();
        code.move(R6, R1)
                .load(WORD, R1, R6, BpfCode.SKB_VLAN_PRESENT)
                .jumpIfNotZero(R1, "pass")
                .load(WORD, R1, R6, BpfCode.SKB_PROTOCOL)
                .jumpIfValue(R1, networkOrder(TAGGED), "pass")
                .jumpIfValue(R1, networkOrder(SERVICE_TAGGED), "pass");
        loadMac(code, 0);
        code.store(DOUBLE, R10, HEAD, R8)
                .move(R2, R8)
                .shiftLeft(R2, Long.SIZE - BRIDGE_PREFIX_BITS)
                .setLong(R3, BRIDGE_PREFIX << (Long.SIZE - BRIDGE_PREFIX_BITS))
                .jumpIfEqual(R2, R3, "for bridges")
                .jump("find")
                .label("for bridges")
                .move(R2, R8)
                .shiftRight(R2, BRIDGE_PREFIX_BITS)
                .and(R2, BRIDGE_LAST_MASK)
                .jumpIfZero(R2, "pass")
                .label("find")
                .jumpIfZero(R8, "nobody");
        find(code, table, TagTable.FIRST_FACTOR, "found");
        find(code, table, TagTable.SECOND_FACTOR, "found");
        code.label("nobody").set(R7, 0).jump("has peer").label("found");
        lookUp(code, table.counts(), "pass");
        code.plusRegister(R9, R0).label("has peer").storeValue(WORD, R10, KEY, 0);
        lookUp(code, table.header(), "pass");
        code.load(WORD, R1, R0, TagTable.ACTIVE_OFFSET)
                .and(R1, 1)
                .shiftLeft(R1, 1)
                .jumpIfZero(R7, "of others");
        meanwhile.accept(code);
        code.move(R2, R7)
                .plusRegister(R2, R1)
                .load(HALF, R8, R2, TagTable.PATHS_OFFSET)
                // Meanwhile the manager may have put another peer in its place.
                .load(DOUBLE, R2, R7, TagTable.MAC_OFFSET)
                .load(DOUBLE, R3, R10, HEAD)
                .jumpIfEqual(R2, R3, "has path")
                .label("of others")
                .move(R7, R0)
                .plus(R7, TagTable.OTHERS_OFFSET)
                .move(R9, R0)
                .plus(R9, TagTable.OTHERS_COUNTS_OFFSET)
                .plusRegister(R1, R7)
                .load(HALF, R8, R1, TagTable.PATHS_OFFSET)
                .label("has path")
                .move(R7, R9);
        length(code, "peer");
        code.addAtomically(DOUBLE, R7, TagTable.BYTES_OFFSET, R9)
                .addAtomically(DOUBLE, R7, TagTable.FRAMES_OFFSET, R1)
                .jumpIfZero(R8, "pass")
                .move(R7, R1)
                .store(WORD, R10, KEY, R8);
        lookUp(code, table.vids(), "drop");
        return code.addAtomically(DOUBLE, R0, TagTable.SENT_BYTES_OFFSET, R9)
                .addAtomically(DOUBLE, R0, TagTable.SENT_FRAMES_OFFSET, R7)
                .load(WORD, R9, R0, TagTable.NIC_OFFSET)
                .load(DOUBLE, R3, R0, TagTable.VID_OFFSET)
                .move(R1, R6)
                .set(R2, networkOrder(TAGGED))
                .and(R3, VID_MASK)
                .call(BpfCode.SKB_VLAN_PUSH)
                .jumpIfNotZero(R0, "drop");
    }

    /** What sees frames as they come in at the NIC. */
    static BpfCode ingress(final TagMaps table) {
        return pop(table).label("pass").set(R0, BpfCode.TCX_NEXT).exit();
    }

    /**
     * What sees frames as they come in at one of several NICs: those of the plan come in at the
     * device that stands for them, except for probes.
     *
     * @param device its ifindex.
     */
    static BpfCode ingressOfDevice(final TagMaps table, final int device) {
        return pop(table)
                .load(WORD, R1, R6, BpfCode.SKB_PROTOCOL)
                .jumpIfValue(R1, networkOrder(ProbeType.ETHER_TYPE), "pass")
                .set(R1, device)
                .set(R2, REDIRECT_TO_INGRESS)
                .call(BpfCode.REDIRECT)
                .exit()
                .label("pass")
                .set(R0, BpfCode.TCX_NEXT)
                .exit();
    }

    /** Up to where the frame has lost its tag. Registers that keep their meaning: 6 the frame. */
    private static BpfCode pop(final TagMaps table) {
        final BpfCode code = new BpfCode();
        code.move(R6, R1)
                .load(WORD, R1, R6, BpfCode.SKB_VLAN_PRESENT)
                .jumpIfZero(R1, "pass")
                .load(WORD, R1, R6, BpfCode.SKB_VLAN_TCI)
                .and(R1, VID_MASK)
                .store(WORD, R10, KEY, R1);
        lookUp(code, table.numberOfVid(), "pass");
        code.load(DOUBLE, R9, R0, 0)
                .jumpIfZero(R9, "pass")
                // Probes come in every VID, and do not show traffic.
                .load(WORD, R1, R6, BpfCode.SKB_PROTOCOL)
                .jumpIfValue(R1, networkOrder(ProbeType.ETHER_TYPE), "pop")
                .store(WORD, R10, NUMBER, R9)
                .store(WORD, R10, KEY, R9);
        lookUp(code, table.vids(), "pass");
        length(code, "vid");
        code.addAtomically(DOUBLE, R0, TagTable.RECEIVED_BYTES_OFFSET, R9)
                .addAtomically(DOUBLE, R0, TagTable.RECEIVED_FRAMES_OFFSET, R1);
        // Broadcasts come with the VID of their sender, and do not show that of the pair.
        code.load(WORD, R1, R6, BpfCode.SKB_PACKET_TYPE).jumpIfNotZero(R1, "pop");
        loadMac(code, MAC_BYTES);
        code.jumpIfZero(R8, "pop");
        find(code, table, TagTable.FIRST_FACTOR, "found");
        find(code, table, TagTable.SECOND_FACTOR, "found");
        return code.jump("pop")
                .label("found")
                .load(WORD, R1, R10, NUMBER)
                // A store would take the memory from the CPU that sends to the peer.
                .load(HALF, R2, R7, TagTable.HEARD_OFFSET)
                .jumpIfEqual(R1, R2, "pop")
                .store(HALF, R7, TagTable.HEARD_OFFSET, R1)
                .label("pop")
                .move(R1, R6)
                .call(BpfCode.SKB_VLAN_POP);
    }

    /**
     * Sets register 8 to the address at an offset of the frame, as in memory. The head of a frame
     * nearly always lies in one piece; where it does not, a helper gathers it.
     */
    private static void loadMac(final BpfCode code, final int offset) {
        code.load(WORD, R8, R6, BpfCode.SKB_DATA)
                .load(WORD, R2, R6, BpfCode.SKB_DATA_END)
                .move(R1, R8)
                .plus(R1, offset + Long.BYTES)
                .jumpIfGreater(R1, R2, "in pieces")
                .load(DOUBLE, R8, R8, offset)
                .shiftLeft(R8, Long.SIZE - MAC_BITS)
                .shiftRight(R8, Long.SIZE - MAC_BITS)
                .jump("has address")
                .label("in pieces")
                .storeValue(DOUBLE, R10, HEAD, 0)
                .move(R1, R6)
                .set(R2, offset)
                .move(R3, R10)
                .plus(R3, HEAD)
                .set(R4, MAC_BYTES)
                .call(BpfCode.SKB_LOAD_BYTES)
                .jumpIfNotZero(R0, "pass")
                .load(DOUBLE, R8, R10, HEAD)
                .label("has address");
    }

    /**
     * Looks for the address in register 8 in a bucket; sets register 7 to its peer and register 9
     * to where its counts are in those of the bucket, and jumps.
     */
    private static void find(
            final BpfCode code, final TagMaps table, final long factor, final String found) {
        code.move(R1, R8)
                .setLong(R2, factor)
                .timesRegister(R1, R2)
                .shiftRight(R1, Integer.SIZE)
                .times(R1, table.bucketCount())
                .shiftRight(R1, Integer.SIZE)
                .store(WORD, R10, KEY, R1);
        lookUp(code, table.buckets(), "pass");
        for (int peer = 0; peer < TagTable.BUCKET_PEERS; peer++) {
            code.move(R7, R0)
                    .plus(R7, peer * TagTable.PEER_BYTES)
                    .set(R9, peer * TagTable.COUNTS_BYTES)
                    .load(DOUBLE, R1, R7, TagTable.MAC_OFFSET)
                    .jumpIfEqual(R1, R8, found);
        }
    }

    /** Sets register 9 to the bytes of a frame on the wire and register 1 to its segments. */
    private static void length(final BpfCode code, final String name) {
        code.load(WORD, R9, R6, BpfCode.SKB_WIRE_LENGTH)
                .jumpIfNotZero(R9, name + " length")
                .load(WORD, R9, R6, BpfCode.SKB_LENGTH)
                .label(name + " length")
                .load(WORD, R1, R6, BpfCode.SKB_SEGMENTS)
                .jumpIfNotZero(R1, name + " segments")
                .set(R1, 1)
                .label(name + " segments");
    }

    /** Looks up the WORD at KEY; the value's address is in register 0 then. */
    private static void lookUp(final BpfCode code, final BpfArray array, final String otherwise) {
        code.move(R2, R10)
                .plus(R2, KEY)
                .map(R1, array)
                .call(BpfCode.MAP_LOOKUP_ELEM)
                .jumpIfZero(R0, otherwise);
    }

    private static int networkOrder(final int etherType) {
        return Short.toUnsignedInt(Short.reverseBytes((short) etherType));
    }
}
