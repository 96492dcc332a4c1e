package io.hxb.tool.lab;

/** Text of the shapers (tc-tbf(8)) that stand for the rate of a real NIC. Stateless. */
public final class Shaper {
    /**
     * What a shaper may send late and still make up for, in ms at its rate. A real NIC continues
     * while the CPUs are busy elsewhere; a shaper's timer waits for them, often for milliseconds,
     * and would lose that time.
     */
    private static final int CATCH_UP_MS = 5;

    /** Room of a queue that is larger than what sockets may have in flight, so it never drops. */
    public static final String NO_DROPS = "64mb";

    private static final long MIN_BYTES = 128 << 10;

    private Shaper() {}

    /**
     * What to put after {@code tc qdisc add dev NIC root}.
     *
     * @param rateBps bits a second.
     * @param limit room of its queue, such as {@link #NO_DROPS}.
     */
    public static String tbf(final long rateBps, final String limit) {
        final long burstBytes = Math.max(MIN_BYTES, rateBps / 8 * CATCH_UP_MS / 1000);
        return "tbf rate %dbit burst %db limit %s".formatted(rateBps, burstBytes, limit);
    }
}
