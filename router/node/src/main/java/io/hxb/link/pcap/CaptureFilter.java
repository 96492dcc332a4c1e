package io.hxb.link.pcap;

import io.hxb.os.bpf.ClassicCode;

import java.util.ArrayList;
import java.util.List;

/**
 * Classic BPF programs that let the frames of a link through to a capture, and nothing else that
 * the NIC receives or sends; they also cut what is captured. Pure.
 */
public final class CaptureFilter {
    private static final int TYPE_OFFSET = 12;
    private static final int INNER_TYPE_OFFSET = 16;
    private static final int TAG = 0x8100;
    private static final int IPV4 = 0x0800;
    private static final int IP_OFFSET = 14;
    private static final int FRAGMENT_OFFSET = 20;
    private static final int FRAGMENT_MASK = 0x3FFF;
    private static final int PROTOCOL_OFFSET = 23;
    private static final int SOURCE_PORT_OFFSET = 34;
    private static final int DESTINATION_PORT_OFFSET = 36;
    private static final int PROTOCOL_UDP = 17;
    private static final int PROTOCOL_TCP = 6;
    // PACKET_OUTGOING of linux/if_packet.h.
    private static final int OUTGOING = 4;

    private CaptureFilter() {}

    /**
     * The frames of a raw link: those of both EtherTypes, with an 802.1Q tag or without, and those
     * that are sent as UDP or TCP over IPv4.
     *
     * @param etherType also the port of frames by IP.
     * @param snapBytes of each frame that are captured, 1 or more.
     */
    public static long[] ofRaw(final int etherType, final int relayEtherType, final int snapBytes) {
        return new Code(snapBytes)
                .half(TYPE_OFFSET)
                .acceptIf(etherType)
                .acceptIf(relayEtherType)
                .skipUnless(
                        TAG,
                        new Code(snapBytes)
                                .half(INNER_TYPE_OFFSET)
                                .acceptIf(etherType)
                                .acceptIf(relayEtherType)
                                .reject())
                .rejectUnless(IPV4)
                .noFragment()
                .add(ClassicCode.loadByte(PROTOCOL_OFFSET))
                .skipUnless(PROTOCOL_TCP, new Code(snapBytes).port(etherType))
                .rejectUnless(PROTOCOL_UDP)
                .append(new Code(snapBytes).port(etherType))
                .program();
    }

    /**
     * The datagrams of a UDP link.
     *
     * @param port of its socket.
     * @param isLoopback true on the loopback NIC, which every frame passes twice: the second time
     *     counts.
     * @param snapBytes as for {@link #ofRaw}.
     */
    public static long[] ofUdp(final int port, final boolean isLoopback, final int snapBytes) {
        final Code code = new Code(snapBytes);
        if (isLoopback) {
            code.add(ClassicCode.loadWord(ClassicCode.PACKET_TYPE))
                    .skipUnless(OUTGOING, new Code(snapBytes).reject());
        }
        return code.half(TYPE_OFFSET)
                .rejectUnless(IPV4)
                .noFragment()
                .add(ClassicCode.loadByte(PROTOCOL_OFFSET))
                .rejectUnless(PROTOCOL_UDP)
                .half(SOURCE_PORT_OFFSET)
                .acceptIf(port)
                .append(new Code(snapBytes).port(port))
                .program();
    }

    /** A program that grows. */
    private static final class Code {
        private final List<Long> code = new ArrayList<>();
        private final int snapBytes;

        Code(final int snapBytes) {
            this.snapBytes = snapBytes;
        }

        Code add(final long instruction) {
            code.add(instruction);
            return this;
        }

        Code append(final Code other) {
            code.addAll(other.code);
            return this;
        }

        Code half(final int offset) {
            return add(ClassicCode.loadHalf(offset));
        }

        Code acceptIf(final int value) {
            return add(ClassicCode.jumpIfEqual(value, 0, 1)).add(ClassicCode.acceptOnly(snapBytes));
        }

        Code rejectUnless(final int value) {
            return add(ClassicCode.jumpIfEqual(value, 1, 0)).reject();
        }

        Code reject() {
            return add(ClassicCode.reject());
        }

        /** Runs other code, which has to end, if what was loaded is that value. */
        Code skipUnless(final int value, final Code other) {
            return add(ClassicCode.jumpIfEqual(value, 0, other.code.size())).append(other);
        }

        // Without options, and not one of several fragments.
        Code noFragment() {
            return half(IP_OFFSET)
                    .add(ClassicCode.and(0xFF00))
                    .rejectUnless(0x4500)
                    .half(FRAGMENT_OFFSET)
                    .add(ClassicCode.and(FRAGMENT_MASK))
                    .rejectUnless(0);
        }

        /** Ends: accepts packets to that port. */
        Code port(final int port) {
            return half(DESTINATION_PORT_OFFSET).acceptIf(port).reject();
        }

        long[] program() {
            return code.stream().mapToLong(Long::longValue).toArray();
        }
    }
}
