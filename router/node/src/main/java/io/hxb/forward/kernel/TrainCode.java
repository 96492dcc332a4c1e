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
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
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
final class TrainCode extends IpCode {
    /** Frames of a train at most, as {@link io.hxb.link.socket.Trains} makes them. */
    static final int MAX_FRAMES = 64;

    private static final int HEADERS_BYTES = ETHERNET_BYTES + IpHeaders.IP_AND_UDP_LENGTH;

    // Of a header, what decides where its frame goes, and how long it has to be.
    private static final int LOOK_BYTES = FrameHeaderFlyweight.BODY_OFFSET + 4;

    private final int clusterId;
    private final int port;

    TrainCode(final BpfCode code, final int clusterId, final int port) {
        super(code);
        this.clusterId = clusterId;
        this.port = port;
    }

    @Override
    void readHead() {
        code.load(WORD, R7, R6, BpfCode.SKB_LENGTH)
                .jumpIfLessValue(R7, HEADERS_BYTES + FrameHeaderFlyweight.LENGTH, "pass");
        load(0, ETHERNET, ETHERNET_BYTES);
        load(ETHERNET_BYTES, IP, IpHeaders.IP_AND_UDP_LENGTH);
        checkIp(IpHeaders.PROTOCOL_UDP, port);
        load(HEADERS_BYTES, HEADER, FrameHeaderFlyweight.LENGTH);
        code.storeValue(DOUBLE, R10, IS_BY_IP, 1);
        invert(ETHERNET);
        invert(SOURCE_MAC);
        readSizes();
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

    @Override
    void chooseFirst() {}

    @Override
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
}
