package io.hxb.tool.option;

import io.hxb.config.Quantity;
import io.hxb.tool.report.UsageException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes of messages as an option gives them: {@code 8192}, {@code 64K,1M}, or {@code 1..1G} for
 * each power of two from the first to the last. K, M and G are powers of 1,024, as in iperf3; other
 * units are those of the cluster file. Stateless.
 */
public final class MessageSizes {
    private static final Pattern SHORT_UNIT = Pattern.compile("(\\d+)([kKmMgG])");
    private static final String RANGE = "..";

    private MessageSizes() {}

    /**
     * Reads them.
     *
     * @param option its name, for the message.
     * @param text what was given.
     * @param maxBytes the largest one allowed; the smallest is 1.
     * @return at least one.
     * @throws UsageException that names the option, what was given and what it may be.
     */
    public static List<Integer> parse(final String option, final String text, final int maxBytes) {
        final List<Integer> sizes = new ArrayList<>();
        for (final String part : text.split(",", -1)) {
            final int dots = part.indexOf(RANGE);
            if (dots < 0) {
                sizes.add(size(option, part, maxBytes));
            } else {
                final int first = size(option, part.substring(0, dots), maxBytes);
                final int last = size(option, part.substring(dots + RANGE.length()), maxBytes);
                if (first > last) {
                    throw new UsageException(option + " must begin with the smaller size: " + part);
                }
                addAll(sizes, first, last);
            }
        }
        return List.copyOf(sizes);
    }

    private static void addAll(final List<Integer> sizes, final int first, final int last) {
        sizes.add(first);
        for (int size = Integer.highestOneBit(first) << 1; size > 0 && size < last; size <<= 1) {
            sizes.add(size);
        }
        if (last > first) {
            sizes.add(last);
        }
    }

    private static int size(final String option, final String text, final int maxBytes) {
        final Matcher matcher = SHORT_UNIT.matcher(text.strip());
        final String unit = matcher.matches() ? matcher.group(2).toUpperCase(Locale.ROOT) : "";
        final long bytes;
        try {
            bytes =
                    Quantity.parseSizeBytes(
                            matcher.matches() ? matcher.group(1) + unit + "iB" : text);
        } catch (final IllegalArgumentException e) {
            throw new UsageException(
                    option
                            + " must be a size such as 8192, 64K or 1M, several with commas, or a"
                            + " range such as 1..1G: "
                            + text,
                    e);
        }
        if (bytes < 1 || bytes > maxBytes) {
            throw new UsageException(option + " must be 1.." + maxBytes + ": " + text);
        }
        return (int) bytes;
    }
}
