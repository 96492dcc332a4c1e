package io.hxb.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations, sizes and rates as people write them: {@code 200us}, {@code 12KiB}, {@code 1gbit}.
 * Stateless; any thread may call it.
 */
public final class Quantity {
    private static final Pattern NUMBER_AND_UNIT =
            Pattern.compile("(\\d{1,18})(\\.\\d{1,9})?\\s*([a-zA-Z]*)");

    private record Unit(String name, long factor) {}

    private static final Unit[] DURATIONS = {
        new Unit("min", 60_000_000_000L),
        new Unit("s", 1_000_000_000L),
        new Unit("ms", 1_000_000L),
        new Unit("us", 1_000L),
        new Unit("ns", 1L),
    };
    private static final Unit[] SIZES = {
        new Unit("GiB", 1L << 30),
        new Unit("MiB", 1L << 20),
        new Unit("KiB", 1L << 10),
        new Unit("GB", 1_000_000_000L),
        new Unit("MB", 1_000_000L),
        new Unit("kB", 1_000L),
        new Unit("B", 1L),
    };
    private static final Unit[] RATES = {
        new Unit("gbit", 1_000_000_000L),
        new Unit("mbit", 1_000_000L),
        new Unit("kbit", 1_000L),
        new Unit("bit", 1L),
    };

    private Quantity() {}

    /**
     * Reads a duration such as {@code 50us}; its unit is ns, us, ms, s or min and is required.
     *
     * @return nanoseconds, 0 or more.
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public static long parseDurationNs(final String text) {
        return parse(text, DURATIONS, "must be a duration such as 50us, 20ms or 5s");
    }

    /**
     * Reads a size such as {@code 12KiB}; its unit is B, kB, KiB, MB, MiB, GB, GiB or none for
     * bytes.
     *
     * @return bytes, 0 or more.
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public static long parseSizeBytes(final String text) {
        final String withUnit = text.matches("\\d+") ? text + "B" : text;
        return parse(withUnit, SIZES, "must be a size such as 4096, 12KiB or 8MiB");
    }

    /**
     * Reads a rate such as {@code 1gbit}; its unit is bit, kbit, mbit or gbit (per second).
     *
     * @return bits per second, 0 or more.
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public static long parseRateBps(final String text) {
        return parse(text, RATES, "must be a rate such as 250mbit or 1gbit");
    }

    /** The duration in the largest unit that leaves no fraction; read back unchanged. */
    public static String formatDuration(final long durationNs) {
        return format(durationNs, DURATIONS);
    }

    /** The size in the largest binary or decimal unit that leaves no fraction. */
    public static String formatSize(final long sizeBytes) {
        return format(sizeBytes, SIZES);
    }

    /** The rate in the largest unit that leaves no fraction. */
    public static String formatRate(final long rateBps) {
        return format(rateBps, RATES);
    }

    private static String format(final long value, final Unit[] units) {
        for (final Unit unit : units) {
            if (value != 0 && value % unit.factor == 0) {
                return value / unit.factor + unit.name;
            }
        }
        return value + units[units.length - 1].name;
    }

    private static long parse(final String text, final Unit[] units, final String example) {
        final Matcher matcher = NUMBER_AND_UNIT.matcher(text.strip());
        if (matcher.matches()) {
            for (final Unit unit : units) {
                if (unit.name.equals(matcher.group(3))
                        || (unit.name.equalsIgnoreCase(matcher.group(3))
                                && isUnambiguous(units, matcher.group(3)))) {
                    return multiply(text, matcher.group(1), matcher.group(2), unit.factor);
                }
            }
        }
        throw new IllegalArgumentException(example + ", not '" + text + "'");
    }

    private static boolean isUnambiguous(final Unit[] units, final String name) {
        int count = 0;
        for (final Unit unit : units) {
            count +=
                    unit.name.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))
                            ? 1
                            : 0;
        }
        return count == 1;
    }

    private static long multiply(
            final String text, final String whole, final String fraction, final long factor) {
        try {
            final long base = Math.multiplyExact(Long.parseLong(whole), factor);
            final double rest = fraction == null ? 0 : Double.parseDouble("0" + fraction) * factor;
            return Math.addExact(base, Math.round(rest));
        } catch (final ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is too large", e);
        }
    }
}
