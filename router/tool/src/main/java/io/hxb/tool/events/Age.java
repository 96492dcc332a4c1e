package io.hxb.tool.events;

import io.hxb.tool.option.TimeOption;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * For how long something has been past, as options give it: {@code 5m}, {@code 2h} or {@code 1d},
 * or a shorter time as in {@link TimeOption}. Stateless.
 */
public final class Age {
    private static final long MAX_NS = TimeUnit.DAYS.toNanos(36_500);
    private static final Pattern LONG = Pattern.compile("(\\d{1,5})([mhd])");
    private static final Map<String, TimeUnit> UNITS =
            Map.of("m", TimeUnit.MINUTES, "h", TimeUnit.HOURS, "d", TimeUnit.DAYS);

    private Age() {}

    /**
     * Reads a time.
     *
     * @param option its name, for the message.
     * @return the time in ns.
     * @throws io.hxb.tool.report.UsageException if it is no time.
     */
    public static long parseNs(final String option, final String text) {
        final Matcher matcher = LONG.matcher(text.strip());
        return matcher.matches()
                ? UNITS.get(matcher.group(2)).toNanos(Long.parseLong(matcher.group(1)))
                : TimeOption.parseNs(option, text, 0, MAX_NS);
    }
}
