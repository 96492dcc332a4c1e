package io.hxb.tool.option;

import io.hxb.config.Quantity;
import io.hxb.tool.report.UsageException;

/**
 * Times as options give them: seconds, as ping(8) and iperf3 take them, or a number with a unit
 * such as {@code 100us}, {@code 20ms} or {@code 5s}. Stateless.
 */
public final class TimeOption {
    private TimeOption() {}

    /**
     * Reads a time.
     *
     * @param option its name, for the message.
     * @param text what was given.
     * @param minNs the minimum.
     * @param maxNs the maximum.
     * @return the time in ns.
     * @throws UsageException that names the option, what was given and what it may be.
     */
    public static long parseNs(
            final String option, final String text, final long minNs, final long maxNs) {
        final String value = text.strip();
        final String range =
                Quantity.formatDuration(minNs) + " to " + Quantity.formatDuration(maxNs);
        final long valueNs;
        try {
            valueNs = Quantity.parseDurationNs(value.matches("[0-9.]+") ? value + "s" : value);
        } catch (final IllegalArgumentException e) {
            throw new UsageException(
                    option
                            + " must be seconds, or a time with a unit such as 100us, 20ms or 5s,"
                            + " from "
                            + range
                            + ": "
                            + text,
                    e);
        }
        if (valueNs < minNs || valueNs > maxNs) {
            throw new UsageException(option + " must be " + range + ": " + text);
        }
        return valueNs;
    }
}
