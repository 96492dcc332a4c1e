package io.hxb.sim.traffic;

import io.hxb.sim.flit.SimulationException;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Lengths of messages in flits, drawn from a list with equal probability; a message longer than a
 * packet is cut into packets. Immutable.
 */
final class MessageSizes {
    private final int packetFlits;
    private final int[] messageFlits;

    /**
     * Takes the lengths.
     *
     * @param packetFlits flits of a full packet, header included.
     * @param messageFlits {@code [1 or more]}.
     */
    MessageSizes(final int packetFlits, final int... messageFlits) {
        if (packetFlits < 1 || packetFlits > 1 << 16) {
            throw new SimulationException("a packet has 1..65536 flits: " + packetFlits);
        }
        for (final int flits : messageFlits) {
            if (flits < 1 || flits > 1 << 24) {
                throw new SimulationException("a message has 1..16777216 flits: " + flits);
            }
        }
        this.packetFlits = packetFlits;
        this.messageFlits = messageFlits;
    }

    int packetFlits() {
        return packetFlits;
    }

    /** Reads lengths such as {@code 128} or {@code 64,128,256}; empty is one packet. */
    static MessageSizes parse(final int packetFlits, final String lengths) {
        if (lengths == null || lengths.isEmpty()) {
            return new MessageSizes(packetFlits, packetFlits);
        }
        if (!lengths.matches("\\d{1,8}(,\\d{1,8})*")) {
            throw new SimulationException(
                    "lengths of messages are written like 64,128,256, not '" + lengths + "'");
        }
        return new MessageSizes(
                packetFlits,
                Arrays.stream(lengths.split(",", -1)).mapToInt(Integer::parseInt).toArray());
    }

    int next(final SplittableRandom random) {
        return messageFlits.length == 1
                ? messageFlits[0]
                : messageFlits[random.nextInt(messageFlits.length)];
    }

    /** Whether some messages have several packets. */
    boolean areCut() {
        return Arrays.stream(messageFlits).anyMatch(flits -> flits > packetFlits);
    }

    /** Packets of a message. */
    int packets(final int flits) {
        return (flits + packetFlits - 1) / packetFlits;
    }

    double mean() {
        return Arrays.stream(messageFlits).average().orElseThrow();
    }

    int shortest() {
        int shortest = packetFlits;
        for (final int flits : messageFlits) {
            final int rest = flits % packetFlits;
            shortest = Math.min(shortest, rest == 0 ? packetFlits : rest);
        }
        return shortest;
    }

    int longest() {
        return Math.min(packetFlits, Arrays.stream(messageFlits).max().orElseThrow());
    }
}
