package io.hxb.sim.ethernet;

import io.hxb.sim.flit.SimulationException;

/**
 * How switches and links are built. Immutable.
 *
 * @param rateBps bits per second of every link that the graph gives no rate.
 * @param switchNs from the end of a frame's reception until it is in the output's queue.
 * @param jitterNs added to that, at random from 0 to this: without it frames of one source could
 *     always find a queue full just before, and those of another just after a frame has left.
 * @param linkNs propagation on a link.
 * @param portBytes that a switch stores of frames that came in by a port with PAUSE, and of others
 *     in the queue of one port; more are dropped.
 * @param pause on which links PAUSE (IEEE 802.3x) is used.
 * @param pauseBytes stored of one port above which it sends PAUSE; half of it ends the pause.
 */
public record EthernetConfig(
        long rateBps,
        long switchNs,
        long jitterNs,
        long linkNs,
        int portBytes,
        Pause pause,
        int pauseBytes) {
    /** Preamble, start, checksum and gap, which every frame takes on a link. */
    public static final int OVERHEAD_BYTES = 24;

    /** 1 Gbit/s, 3 to 6 us per switch, 64 KB per port, no PAUSE. */
    public static final EthernetConfig GIGABIT =
            new EthernetConfig(1_000_000_000L, 3000, 3000, 100, 64 << 10, Pause.NONE, 32 << 10);

    /** On which links PAUSE is in use. */
    public enum Pause {
        /** On none: full buffers drop. */
        NONE,
        /** On all. */
        ALL,
        /** On those of hosts. */
        HOSTS,
        /** On those between switches. */
        SWITCHES
    }

    /** Checks the ranges. */
    public EthernetConfig {
        if (rateBps < 1000 || switchNs < 0 || jitterNs < 0 || linkNs < 0) {
            throw new SimulationException("rates are at least 1000 bit/s, times not negative");
        }
        if (portBytes < 1600 || pauseBytes < 1600 || pauseBytes > portBytes) {
            throw new SimulationException(
                    "a port stores at least a frame of 1600 bytes, and sends PAUSE before it is"
                            + " full: "
                            + portBytes
                            + ", "
                            + pauseBytes);
        }
    }

    /** The same with another jitter. */
    public EthernetConfig withJitter(final long ns) {
        return new EthernetConfig(rateBps, switchNs, ns, linkNs, portBytes, pause, pauseBytes);
    }

    /** The same with another use of PAUSE. */
    public EthernetConfig withPause(final Pause other) {
        return new EthernetConfig(
                rateBps, switchNs, jitterNs, linkNs, portBytes, other, pauseBytes);
    }

    /** The same with larger or smaller buffers, half of which fill before PAUSE is sent. */
    public EthernetConfig withPortBytes(final int bytes) {
        return new EthernetConfig(rateBps, switchNs, jitterNs, linkNs, bytes, pause, bytes / 2);
    }
}
