package io.hxb.tool.lab.switches;

import io.hxb.tool.report.UsageException;

/**
 * Two hosts of a lab, by their numbers.
 *
 * @param from the one that sends.
 * @param to the one that receives.
 */
public record HostPair(int from, int to) {
    /**
     * Reads {@code 0,8}.
     *
     * @param hosts how many there are.
     */
    public static HostPair parse(final String text, final int hosts) {
        final String[] parts = text.split(",", -1);
        if (parts.length == 2 && isHost(parts[0], hosts) && isHost(parts[1], hosts)) {
            final HostPair pair =
                    new HostPair(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
            if (pair.from != pair.to) {
                return pair;
            }
        }
        throw new UsageException(
                "a pair is two different hosts of the lab, such as 0,1, each below "
                        + hosts
                        + ": "
                        + text);
    }

    private static boolean isHost(final String text, final int hosts) {
        return text.matches("\\d{1,4}") && Integer.parseInt(text) < hosts;
    }

    @Override
    public String toString() {
        return from + "," + to;
    }
}
