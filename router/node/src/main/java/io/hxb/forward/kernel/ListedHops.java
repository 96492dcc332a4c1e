package io.hxb.forward.kernel;

import static io.hxb.os.bpf.BpfCode.HALF;
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
import static io.hxb.os.bpf.BpfCode.R3;
import static io.hxb.os.bpf.BpfCode.R4;
import static io.hxb.os.bpf.BpfCode.R8;
import static io.hxb.os.bpf.BpfCode.R9;
import static io.hxb.os.bpf.BpfCode.WORD;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.os.bpf.BpfCode;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

/**
 * Writes the part of a {@link RelayProgram} that follows the list of hops in a header, with any
 * cabling, as {@link RouteCodec#nextHop} and {@link RouteCodec#passed} do. A list that names the
 * node twice in a row, which no source writes, is left to the node. Immutable.
 */
final class ListedHops {
    private final int bits;
    private final int maxHops;

    ListedHops(final Shape shape) {
        bits = RouteCodec.hopBits(shape);
        maxHops = RouteCodec.maxHops(shape);
    }

    /**
     * Puts the next hop of the list into register 8, and the number of that hop into the header.
     * Register 9 has the order of the header; register 5 keeps its value.
     *
     * @param here number of the node.
     * @param otherwise where to go on when the list has no further hop.
     */
    void write(final BpfCode code, final int here, final String otherwise) {
        final int mask = (1 << bits) - 1;
        code.load(HALF, R2, R10, RelayProgram.HEADER + FrameHeaderFlyweight.DETOUR_OFFSET)
                .shiftLeft(R2, Route.POSITION_SHIFT)
                .move(R1, R9)
                .and(R1, (1 << Route.POSITION_SHIFT) - 1)
                .orRegister(R1, R2)
                .move(R3, R9)
                .shiftRight(R3, Route.POSITION_SHIFT)
                .and(R3, Route.MAX_POSITION)
                .jumpIfGreaterValue(R3, maxHops - 1, otherwise)
                .move(R4, R3);
        for (int hop = 0; hop < maxHops - 1; hop++) {
            code.jumpIfZero(R4, "listed").shiftRight(R1, bits).plus(R4, -1);
        }
        code.label("listed")
                .move(R4, R1)
                .and(R4, mask)
                .jumpIfNotWord(R4, here + 1, "not taken")
                .shiftRight(R1, bits)
                .plus(R3, 1)
                .move(R4, R1)
                .and(R4, mask)
                .jumpIfValue(R4, here + 1, "pass")
                .label("not taken")
                .move(R1, R9)
                .and(R1, ~(Route.MAX_POSITION << Route.POSITION_SHIFT))
                .move(R2, R3)
                .shiftLeft(R2, Route.POSITION_SHIFT)
                .orRegister(R1, R2)
                .store(WORD, R10, RelayProgram.HEADER + FrameHeaderFlyweight.ORDER_OFFSET, R1)
                .jumpIfGreaterValue(R3, maxHops - 1, otherwise)
                .jumpIfZero(R4, otherwise)
                .plus(R4, -1)
                .move(R8, R4);
    }
}
