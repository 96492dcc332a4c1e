package io.hxb.counter;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What one user or tenant holds of the shares of a node, and what he may hold. Immutable.
 *
 * @param who such as {@code user 1000} or {@code tenant physics}.
 * @param tenant that the user is a member of; empty if none, and for a tenant itself.
 * @param shares by the key of their limit in the cluster file.
 */
public record ResourceUse(String who, String tenant, Map<String, Figures> shares) {
    private static final String SEPARATOR = "\t";
    private static final int WORDS_BEFORE_SHARES = 2;

    /** Copies the map and keeps its order. */
    public ResourceUse {
        shares = Collections.unmodifiableMap(new LinkedHashMap<>(shares));
    }

    /**
     * Figures of one share. Immutable.
     *
     * @param held what he holds now; {@link #NONE} for a rate.
     * @param limit what he may hold; {@link #NONE} without a limit.
     * @param refused how often he was refused more.
     */
    public record Figures(long held, long limit, long refused) {
        /** Stands for a figure that does not exist. */
        public static final long NONE = -1;

        private String text() {
            return held + "/" + limit + "/" + refused;
        }

        private static Optional<Figures> parse(final String text) {
            final String[] words = text.split("/", -1);
            try {
                return words.length == 3
                        ? Optional.of(
                                new Figures(
                                        Long.parseLong(words[0]),
                                        Long.parseLong(words[1]),
                                        Long.parseLong(words[2])))
                        : Optional.empty();
            } catch (final NumberFormatException e) {
                return Optional.empty();
            }
        }
    }

    /** How often he was refused more, of all shares together. */
    public long refused() {
        return shares.values().stream().mapToLong(Figures::refused).sum();
    }

    /** True if he has nothing and was never refused anything. */
    public boolean isNothing() {
        return shares.values().stream().allMatch(each -> each.held <= 0 && each.refused == 0);
    }

    /** The line of a counter file. */
    String line() {
        final StringBuilder line = new StringBuilder(who).append(SEPARATOR).append(tenant);
        shares.forEach(
                (key, figures) ->
                        line.append(SEPARATOR).append(key).append('=').append(figures.text()));
        return line.toString();
    }

    /** Reads a line of a counter file; what another version wrote differently is left out. */
    static Optional<ResourceUse> parse(final String line) {
        final String[] words = line.split(SEPARATOR, -1);
        if (words.length <= WORDS_BEFORE_SHARES) {
            return Optional.empty();
        }
        final Map<String, Figures> shares = new LinkedHashMap<>();
        for (int i = WORDS_BEFORE_SHARES; i < words.length; i++) {
            final int sign = words[i].indexOf('=');
            if (sign > 0) {
                final String key = words[i].substring(0, sign);
                Figures.parse(words[i].substring(sign + 1))
                        .ifPresent(figures -> shares.put(key, figures));
            }
        }
        return Optional.of(new ResourceUse(words[0], words[1], shares));
    }
}
