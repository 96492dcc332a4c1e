package io.hxb.bench.lab;

import java.util.Locale;

/** What {@code lab ip} measures: one row of its table, or a few that differ in a number. */
enum IpRow {
    /** One connection over all links. */
    BULK,

    /** The same through relays. */
    RELAYS,

    /** Frames of one link are lost. */
    LOSS,

    /** One link has half the rate. */
    SLOW,

    /** One link is longer than the others. */
    DELAYED,

    /** One of two links is pulled, and put back, many times. */
    PULLED,

    /** Round trips of a byte, and nothing else. */
    RR,

    /** One link that nothing shapes. */
    UNSHAPED,

    /** Round trips of a byte beside a connection that sends as fast as it can. */
    BUSY_RTT;

    /** As the command line has it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
