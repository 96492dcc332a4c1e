package io.hxb.bench.harness;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Prints what was measured on standard error, one line a measurement, and keeps it in {@link
 * Trials}. Stateless.
 */
public final class Progress {
    private Progress() {}

    /** Prints what was measured, after {@code what}. */
    public static Contest.Progress of(final String what) {
        return new Contest.Progress() {
            @Override
            public void onTrial(
                    final int round, final String name, final Map<String, Double> figures) {
                print(what, round, name, format(figures));
                Trials.keep(what, round, name, figures);
            }

            @Override
            public void onFailure(final int round, final String name, final Exception failure) {
                print(what, round, name, failure.toString());
                Trials.keepFailure(what, name, failure);
            }
        };
    }

    private static void print(
            final String what, final int round, final String name, final String text) {
        System.err.printf(Locale.ROOT, "%s round %d %s: %s%n", what, round + 1, name, text);
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
