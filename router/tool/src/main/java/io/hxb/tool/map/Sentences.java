package io.hxb.tool.map;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Words for numbers of nodes and cables. Stateless. */
final class Sentences {
    private static final int MAX_LISTED = 8;
    private static final List<String> WORDS =
            List.of("no", "one", "two", "three", "four", "five", "six", "seven", "eight");
    private static final double MBPS_PER_GBPS = 1_000;

    private Sentences() {}

    /** {@code 1, 2 and 5}; many are cut short. */
    static String list(final Collection<Integer> numbers, final String last) {
        final List<Integer> all = List.copyOf(numbers);
        if (all.size() > MAX_LISTED + 1) {
            return all.stream()
                            .limit(MAX_LISTED)
                            .map(String::valueOf)
                            .collect(Collectors.joining(", "))
                    + " "
                    + last
                    + " "
                    + (all.size() - MAX_LISTED)
                    + " more";
        }
        final String start =
                all.stream()
                        .limit(Math.max(0, all.size() - 1))
                        .map(String::valueOf)
                        .collect(Collectors.joining(", "));
        return (start.isEmpty() ? "" : start + " " + last + " ") + all.getLast();
    }

    /** {@code node 3}, or {@code nodes 1, 2 and 5}. */
    static String nodes(final Collection<Integer> numbers) {
        return (numbers.size() == 1 ? "node " : "nodes ") + list(numbers, "and");
    }

    /** A small number in letters. */
    static String count(final int count) {
        return count < WORDS.size() ? WORDS.get(count) : Integer.toString(count);
    }

    /** A count with its noun: {@code 1 cable}, {@code 2 cables}. */
    static String counted(final int count, final String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** A capacity: {@code 2.5 Gbit/s}. */
    static String rate(final int megabits) {
        if (megabits < MBPS_PER_GBPS) {
            return megabits + " Mbit/s";
        }
        final String text = String.format(Locale.ROOT, "%.1f", megabits / MBPS_PER_GBPS);
        return text.replaceFirst("\\.0$", "") + " Gbit/s";
    }

    /** A time that has passed: {@code 0.3 s}, {@code 12 s}. */
    static String seconds(final long milliseconds) {
        final double seconds = Math.max(0, milliseconds) / 1e3;
        return String.format(Locale.ROOT, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    }
}
