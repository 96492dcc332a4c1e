package io.hxb.config;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Collects what is wrong with the values of one record, so that all problems are reported together.
 * Made and used within one constructor.
 */
public final class Check {
    private final List<Problem> problems = new ArrayList<>();

    Check() {}

    /**
     * One value that is wrong. Immutable.
     *
     * @param key its key in the file.
     * @param text what the message says after the key.
     */
    public record Problem(String key, String text) {}

    Check range(final String key, final long value, final long min, final long max) {
        return that(
                value >= min && value <= max, key, "must be " + min + ".." + max + ": " + value);
    }

    Check powerOfTwo(final String key, final long value, final long min, final long max) {
        return that(
                value >= min && value <= max && Long.bitCount(value) == 1,
                key,
                "must be a power of two, " + min + ".." + max + ": " + value);
    }

    Check duration(final String key, final long valueNs, final long minNs, final long maxNs) {
        return that(
                valueNs >= minNs && valueNs <= maxNs,
                key,
                String.format(
                        Locale.ROOT,
                        "must be %s..%s: %s",
                        Quantity.formatDuration(minNs),
                        Quantity.formatDuration(maxNs),
                        Quantity.formatDuration(valueNs)));
    }

    Check size(final String key, final long valueBytes, final long minBytes, final long maxBytes) {
        return that(
                valueBytes >= minBytes && valueBytes <= maxBytes,
                key,
                String.format(
                        Locale.ROOT,
                        "must be %s..%s: %s",
                        Quantity.formatSize(minBytes),
                        Quantity.formatSize(maxBytes),
                        Quantity.formatSize(valueBytes)));
    }

    Check that(final boolean isRight, final String key, final String text) {
        if (!isRight) {
            problems.add(new Problem(key, text));
        }
        return this;
    }

    void done() {
        if (!problems.isEmpty()) {
            throw new Failure(problems);
        }
    }

    /** Values of a record are wrong; the message names them all. */
    public static final class Failure extends IllegalArgumentException {
        @Serial private static final long serialVersionUID = 1L;

        private final transient List<Problem> problems;

        private Failure(final List<Problem> problems) {
            super(
                    problems.stream()
                            .map(problem -> problem.key + " " + problem.text)
                            .collect(Collectors.joining("; ")));
            this.problems = List.copyOf(problems);
        }

        /** The values that are wrong, at least one. */
        public List<Problem> problems() {
            return problems;
        }
    }
}
