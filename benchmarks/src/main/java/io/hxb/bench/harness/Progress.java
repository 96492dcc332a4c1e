package io.hxb.bench.harness;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Says on standard error what was measured, one line a measurement. Stateless. */
public final class Progress {
    private Progress() {}

    /** Says what was measured, after {@code what}. */
    public static Contest.Progress of(final String what) {
        return (round, name, figures) ->
                System.err.printf(
                        Locale.ROOT,
                        "%s round %d %s: %s%n",
                        what,
                        round + 1,
                        name,
                        format(figures));
    }

    private static String format(final Map<String, Double> figures) {
        return figures.entrySet().stream()
                .map(
                        entry ->
                                String.format(
                                        Locale.ROOT, "%s %.1f", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
