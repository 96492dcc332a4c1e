package io.hxb.sim.route;

import io.hxb.sim.flit.SimulationException;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How dimension order uses the rings of a torus. Immutable.
 *
 * @param ties which way round packets go when both are equally short.
 * @param channels on which of a ring's two virtual channels they go.
 */
public record RingRule(Ties ties, Channels channels) {
    /** Whichever way is free, and the second virtual channel after the link that wraps around. */
    public static final RingRule DEFAULT = new RingRule(Ties.FREE, Channels.CHANGE);

    /** The way round when both are equally short. */
    public enum Ties {
        /** Either: the output selection chooses among the virtual channels that are free. */
        FREE,
        /** Either with the same probability, drawn when the packet enters the ring, free or not. */
        RANDOM,
        /** Towards the higher coordinate. */
        POSITIVE
    }

    /** The virtual channels of a ring; both rules keep it free of deadlock. */
    public enum Channels {
        /** Packets start on 1 and go on by 0 after the link that wraps around. */
        CHANGE,
        /** Packets that pass the link that wraps around keep to 1, all others to 0. */
        KEEP
    }

    /**
     * The rule of two words.
     *
     * @throws SimulationException listing the valid words.
     */
    public static RingRule of(final String ties, final String channels) {
        return new RingRule(
                one("--ties", ties, Ties.values()), one("--ring-vcs", channels, Channels.values()));
    }

    private static <E extends Enum<E>> E one(
            final String option, final String word, final E[] values) {
        for (final E value : values) {
            if (value.name().toLowerCase(Locale.ROOT).equals(word)) {
                return value;
            }
        }
        final List<String> words =
                Arrays.stream(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList();
        throw new SimulationException(
                option
                        + " must be "
                        + words.stream().limit(words.size() - 1L).collect(Collectors.joining(", "))
                        + " or "
                        + words.getLast()
                        + ", not '"
                        + word
                        + "'");
    }
}
