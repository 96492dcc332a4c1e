package io.hxb.forward.kernel;

import static io.hxb.forward.kernel.RelayProgram.ETHERNET;
import static io.hxb.forward.kernel.RelayProgram.ETHERNET_BYTES;
import static io.hxb.forward.kernel.RelayProgram.FRAMES;
import static io.hxb.forward.kernel.RelayProgram.HEADER;
import static io.hxb.forward.kernel.RelayProgram.IS_BY_IP;
import static io.hxb.forward.kernel.RelayProgram.LONGEST;
import static io.hxb.forward.kernel.RelayProgram.PAYLOAD;
import static io.hxb.forward.kernel.RelayProgram.SOURCE_MAC;
import static io.hxb.os.bpf.BpfCode.BYTE;
import static io.hxb.os.bpf.BpfCode.DOUBLE;
import static io.hxb.os.bpf.BpfCode.HALF;
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
import static io.hxb.os.bpf.BpfCode.R6;
import static io.hxb.os.bpf.BpfCode.R7;
import static io.hxb.os.bpf.BpfCode.WORD;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.raw.IpHeaders;
import io.hxb.link.raw.SegmentHeaders;
import io.hxb.os.bpf.BpfCode;
import io.hxb.routing.DimensionOrder;

/**
 * Writes the part of a {@link RelayProgram} that knows segments: one, or several that the kernel
 * has not cut, or has joined, which go on in one piece. Only the outer headers are looked at:
 * source and destination are in the addresses of IPv4, the order of the route is in the ports. All
 * segments of a frame take the same link, so that the next node can join them. Frames that ask for
 * an answer are left to the node, which answers. A frame is counted with its first segment. Used by
 * one thread.
 */
final class SegmentCode extends IpCode {
    /** Dimensions that the addresses of IPv4 have room for. */
    static final int MAX_DIMENSIONS = 3;

    /** Where the number of the frame is, from the IPv4 header. */
    static final int NUMBER_OFFSET = 28;

    private static final int HEADERS_BYTES = ETHERNET_BYTES + SegmentHeaders.IP_AND_TCP_LENGTH;
    private static final int SOURCE_ADDRESS_OFFSET = 12;
    private static final int DESTINATION_ADDRESS_OFFSET = 16;

    private final int port;

    SegmentCode(final BpfCode code, final int port) {
        super(code);
        this.port = port;
    }

    @Override
    void readHead() {
        code.load(WORD, R7, R6, BpfCode.SKB_LENGTH).jumpIfLessValue(R7, HEADERS_BYTES + 1, "pass");
        load(0, ETHERNET, ETHERNET_BYTES);
        load(ETHERNET_BYTES, IP, SegmentHeaders.IP_AND_TCP_LENGTH);
        checkIp(IpHeaders.PROTOCOL_TCP, port);
        code.load(BYTE, R1, R10, IP + SegmentHeaders.DATA_OFFSET_OFFSET)
                .jumpIfNotWord(R1, SegmentHeaders.DATA_OFFSET, "pass")
                .load(BYTE, R1, R10, IP + SegmentHeaders.WINDOW_OFFSET + 1)
                .and(R1, SegmentHeaders.NODE_MARKS)
                .jumpIfNotZero(R1, "pass");
        writeHeader();
        code.storeValue(DOUBLE, R10, IS_BY_IP, 1);
        invert(ETHERNET);
        invert(SOURCE_MAC);
        readSizes();
    }

    // What the rest of the program reads of an HXB header. The addresses show three dimensions, the
    // first one last; the ports differ by what the order differs from the usual one.
    private void writeHeader() {
        code.storeValue(BYTE, R10, HEADER + FrameHeaderFlyweight.TYPE_OFFSET, FrameType.DATA)
                .storeValue(BYTE, R10, HEADER + FrameHeaderFlyweight.FLAGS_OFFSET, 0);
        writeCoordinates(SOURCE_ADDRESS_OFFSET, FrameHeaderFlyweight.SOURCE_OFFSET);
        writeCoordinates(DESTINATION_ADDRESS_OFFSET, FrameHeaderFlyweight.DESTINATION_OFFSET);
        code.load(BYTE, R1, R10, IP + SegmentHeaders.SOURCE_PORT_OFFSET)
                .shiftLeft(R1, Byte.SIZE)
                .load(BYTE, R2, R10, IP + SegmentHeaders.SOURCE_PORT_OFFSET + 1)
                .orRegister(R1, R2)
                .xor(R1, DimensionOrder.DEFAULT ^ port)
                .store(WORD, R10, HEADER + FrameHeaderFlyweight.ORDER_OFFSET, R1)
                .storeValue(HALF, R10, HEADER + FrameHeaderFlyweight.DETOUR_OFFSET, 0);
    }

    private void writeCoordinates(final int addressOffset, final int headerOffset) {
        code.set(R1, 0);
        for (int dimension = MAX_DIMENSIONS - 1; dimension >= 0; dimension--) {
            code.shiftLeft(R1, Byte.SIZE)
                    .load(BYTE, R2, R10, IP + addressOffset + MAX_DIMENSIONS - dimension)
                    .orRegister(R1, R2);
        }
        code.store(DOUBLE, R10, HEADER + headerOffset, R1);
    }

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
                .plus(R1, HEADERS_BYTES)
                .store(DOUBLE, R10, LONGEST, R1);
    }

    // The first segment of a frame has the offset 0 in the lower 17 bits of the sequence.
    @Override
    void check() {
        age();
        code.load(WORD, R1, R10, IP + SegmentHeaders.SEQUENCE_OFFSET)
                .and(R1, Integer.reverseBytes((1 << SegmentHeaders.OFFSET_BITS) - 1))
                .set(R2, 0)
                .jumpIfNotZero(R1, "is counted")
                .set(R2, 1)
                .label("is counted")
                .store(DOUBLE, R10, FRAMES, R2);
    }

    @Override
    void chooseFirst() {
        code.load(BYTE, R7, R10, IP + NUMBER_OFFSET);
        for (int i = 1; i < Integer.BYTES; i++) {
            code.shiftLeft(R7, Byte.SIZE)
                    .load(BYTE, R2, R10, IP + NUMBER_OFFSET + i)
                    .orRegister(R7, R2);
        }
        code.modulo(R7, R1);
    }
}
