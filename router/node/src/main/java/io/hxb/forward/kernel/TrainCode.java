package io.hxb.forward.kernel;

import static io.hxb.forward.kernel.RelayProgram.ETHERNET;
import static io.hxb.forward.kernel.RelayProgram.ETHERNET_BYTES;
import static io.hxb.forward.kernel.RelayProgram.ETHER_TYPE;
import static io.hxb.forward.kernel.RelayProgram.FRAMES;
import static io.hxb.forward.kernel.RelayProgram.HEADER;
import static io.hxb.forward.kernel.RelayProgram.IS_BY_IP;
import static io.hxb.forward.kernel.RelayProgram.LONGEST;
import static io.hxb.forward.kernel.RelayProgram.PAYLOAD;
import static io.hxb.forward.kernel.RelayProgram.SOURCE_MAC;
import static io.hxb.os.bpf.BpfCode.BYTE;
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

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.raw.IpHeaders;
import io.hxb.os.bpf.BpfCode;

/**
 * Writes the part of a {@link RelayProgram} that knows frames by IP: one, or a train that the
 * kernel has not cut, or has joined. Every frame of a train is looked at, because all are counted
 * and go where the first one goes: each has to be one that the next node counts, with the source,
 * destination, order and type of the first, and of fragments with their frame. Nothing of them
 * changes; the time to live of the train is their hop limit. Used by one thread.
 */
final class TrainCode {
    /** Frames of a train at most, as {@link io.hxb.link.socket.Trains} makes them. */
    static final int MAX_FRAMES = 64;

    private static final int HEADERS_BYTES = ETHERNET_BYTES + IpHeaders.IP_AND_UDP_LENGTH;
    private static final int CHANGED_BYTES = ETHERNET_BYTES + IpHeaders.CHECKSUM_OFFSET + 2;

    // Of a header, what decides where its frame goes, and how long it has to be.
    private static final int LOOK_BYTES = FrameHeaderFlyweight.BODY_OFFSET + 4;

    // On the stack, below what the rest of the program has there.
    private static final int SEGMENT = -176;
    private static final int LENGTH = -184;
    private static final int IP = -216;
    private static final int OTHER = -272;

    private final BpfCode code;
    private final int clusterId;
    private final int port;

    TrainCode(final BpfCode code, final int clusterId, final int port) {
        this.code = code;
        this.clusterId = clusterId;
        this.port = port;
    }

    /** Reads the headers up to the first HXB header, and checks those of IP and UDP. */
    void readHead() {
        code.load(WORD, R7, R6, BpfCode.SKB_LENGTH)
                .jumpIfLessValue(R7, HEADERS_BYTES + FrameHeaderFlyweight.LENGTH, "pass");
        load(0, ETHERNET, ETHERNET_BYTES);
        load(ETHERNET_BYTES, IP, IpHeaders.IP_AND_UDP_LENGTH);
        checkDatagram();
        load(HEADERS_BYTES, HEADER, FrameHeaderFlyweight.LENGTH);
        code.storeValue(DOUBLE, R10, IS_BY_IP, 1);
        invert(ETHERNET);
        invert(SOURCE_MAC);
        readSizes();
    }

    private void load(final int offset, final int to, final int lengthBytes) {
        code.set(R2, offset);
        loadAt(to, lengthBytes);
    }

    /** Loads from where register 2 says. */
    private void loadAt(final int to, final int lengthBytes) {
        code.move(R1, R6)
                .move(R3, R10)
                .plus(R3, to)
                .set(R4, lengthBytes)
                .call(BpfCode.SKB_LOAD_BYTES)
                .jumpIfNotZero(R0, "pass");
    }

    private void checkDatagram() {
        code.load(BYTE, R1, R10, IP)
                .jumpIfNotWord(R1, IpHeaders.VERSION_AND_LENGTH, "pass")
                .load(BYTE, R1, R10, IP + IpHeaders.PROTOCOL_OFFSET)
                .jumpIfNotWord(R1, IpHeaders.PROTOCOL_UDP, "pass")
                .load(HALF, R1, R10, IP + IpHeaders.FRAGMENT_OFFSET)
                .and(R1, RelayProgram.networkOrder(IpHeaders.MORE_FRAGMENTS_AND_OFFSET))
                .jumpIfNotZero(R1, "pass")
                .load(HALF, R1, R10, IP + IpHeaders.DESTINATION_PORT_OFFSET)
                .jumpIfNotWord(R1, RelayProgram.networkOrder(port), "pass")
                .load(BYTE, R1, R10, IP + IpHeaders.TOTAL_LENGTH_OFFSET)
                .shiftLeft(R1, Byte.SIZE)
                .load(BYTE, R2, R10, IP + IpHeaders.TOTAL_LENGTH_OFFSET + 1)
                .orRegister(R1, R2)
                .plus(R1, ETHERNET_BYTES)
                .xorRegister(R1, R7)
                .jumpIfNotZero(R1, "pass");
    }

    // Whatever is not cut is one frame; the kernel drops trains of one frame when it cuts them.
    private void readSizes() {
        code.plus(R7, -HEADERS_BYTES)
                .store(DOUBLE, R10, PAYLOAD, R7)
                .load(WORD, R1, R6, BpfCode.SKB_SEGMENT_SIZE)
                .jumpIfZero(R1, "not cut")
                .jumpIfNotLess(R1, R7, "pass")
                .jump("sizes")
                .label("not cut")
                .move(R1, R7)
                .label("sizes")
                .store(DOUBLE, R10, SEGMENT, R1)
                .plus(R1, ETHERNET_BYTES)
                .store(DOUBLE, R10, LONGEST, R1);
    }

    /** The address by which the table knows a NIC, or the one by which that NIC has IP. */
    private void invert(final int address) {
        code.load(BYTE, R1, R10, address)
                .xor(R1, IpHeaders.LOCAL_BIT)
                .store(BYTE, R10, address, R1);
    }

    /** Takes one of the time to live, checks all frames, and counts them. */
    void check() {
        age();
        code.load(DOUBLE, R8, R10, PAYLOAD)
                .set(R7, HEADERS_BYTES)
                .set(R9, 0)
                .label("next frame")
                .load(DOUBLE, R1, R10, SEGMENT)
                .jumpIfNotLess(R8, R1, "whole")
                .move(R1, R8)
                .label("whole")
                .store(DOUBLE, R10, LENGTH, R1)
                .jumpIfLessValue(R1, FrameHeaderFlyweight.LENGTH, "pass")
                .move(R2, R7);
        loadAt(OTHER, LOOK_BYTES);
        checkFrame();
        code.load(DOUBLE, R1, R10, LENGTH)
                .plusRegister(R7, R1)
                .minusRegister(R8, R1)
                .plus(R9, 1)
                .jumpIfZero(R8, "counted")
                .jumpIfLessValue(R9, MAX_FRAMES, "next frame")
                .jump("pass")
                .label("counted")
                .store(DOUBLE, R10, FRAMES, R9);
    }

    // Source: RFC 1141, in one's complement the sum of the header falls as its checksum rises.
    private void age() {
        code.load(BYTE, R1, R10, IP + IpHeaders.TIME_TO_LIVE_OFFSET)
                .jumpIfLessValue(R1, 2, "pass")
                .plus(R1, -1)
                .store(BYTE, R10, IP + IpHeaders.TIME_TO_LIVE_OFFSET, R1)
                .load(HALF, R1, R10, IP + IpHeaders.CHECKSUM_OFFSET)
                .plus(R1, RelayProgram.networkOrder(1 << Byte.SIZE))
                .jumpIfLessValue(R1, 0xFFFF, "aged")
                .plus(R1, 1)
                .label("aged")
                .store(HALF, R10, IP + IpHeaders.CHECKSUM_OFFSET, R1);
    }

    // As RelayProgram.checkHeader.
    private void checkFrame() {
        code.load(BYTE, R1, R10, OTHER + FrameHeaderFlyweight.VERSION_OFFSET)
                .jumpIfNotWord(R1, FrameHeaderFlyweight.VERSION, "pass")
                .load(WORD, R1, R10, OTHER + FrameHeaderFlyweight.CLUSTER_OFFSET)
                .jumpIfNotWord(R1, clusterId, "pass")
                .load(WORD, R1, R10, OTHER + FrameHeaderFlyweight.BODY_OFFSET)
                .and(R1, FrameHeaderFlyweight.MAX_BODY_LENGTH)
                .plus(R1, FrameHeaderFlyweight.LENGTH)
                .load(BYTE, R2, R10, OTHER + FrameHeaderFlyweight.FLAGS_OFFSET)
                .and(R2, FrameHeaderFlyweight.FLAG_SEALED)
                .jumpIfZero(R2, "not sealed")
                .plus(R1, SealFlyweight.LENGTH)
                .label("not sealed")
                .load(DOUBLE, R2, R10, LENGTH)
                .jumpIfGreater(R1, R2, "pass");
        isAsTheFirst(DOUBLE, FrameHeaderFlyweight.SOURCE_OFFSET);
        isAsTheFirst(DOUBLE, FrameHeaderFlyweight.DESTINATION_OFFSET);
        isAsTheFirst(WORD, FrameHeaderFlyweight.ORDER_OFFSET);
        isAsTheFirst(BYTE, FrameHeaderFlyweight.TYPE_OFFSET);
        code.load(BYTE, R1, R10, HEADER + FrameHeaderFlyweight.TYPE_OFFSET)
                .jumpIfNotWord(R1, FrameType.FRAGMENT, "not a fragment");
        isAsTheFirst(WORD, FragmentFlyweight.NUMBER_OFFSET);
        code.label("not a fragment");
    }

    private void isAsTheFirst(final int size, final int offset) {
        code.load(size, R1, R10, HEADER + offset)
                .load(size, R2, R10, OTHER + offset)
                .xorRegister(R1, R2)
                .jumpIfNotZero(R1, "pass");
    }

    /**
     * Puts what is written back, Ethernet header and half of IPv4's, into a row; the first HXB
     * header is not needed any more. Its length is in register 4 then.
     */
    void lineUp() {
        invert(SOURCE_MAC);
        code.storeValue(HALF, R10, ETHER_TYPE, RelayProgram.networkOrder(IpHeaders.ETHER_TYPE));
        for (int offset = 0; offset <= IpHeaders.CHECKSUM_OFFSET; offset += Integer.BYTES) {
            code.load(WORD, R1, R10, IP + offset).store(WORD, R10, HEADER + offset, R1);
        }
        code.set(R4, CHANGED_BYTES);
    }
}
