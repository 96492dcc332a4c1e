package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.LONG_SIZE;
import static io.hxb.config.ValueType.count;

import java.util.HashMap;
import java.util.Map;

/**
 * What one user may have of a node, with all of its processes together. The node's own user and
 * root have no limits: they can stop the node anyway. Immutable.
 *
 * @param connections attached processes; 0 for {@link #mostOf} those of the node.
 * @param contexts open contexts; 0 for {@link #mostOf} those of the node.
 * @param memoryBytes bytes shared with the node: regions, send buffers and rings.
 * @param regions regions.
 * @param heldBuffers receive buffers that the contexts hold; 0 for a quarter of the pool.
 * @param flows flows, sending and receiving ones together.
 * @param messagesPerSecond messages sent per second; 0 for no limit.
 */
public record LimitConfig(
        int connections,
        int contexts,
        long memoryBytes,
        int regions,
        int heldBuffers,
        int flows,
        int messagesPerSecond) {

    /** The keys, which tenants have too. */
    public static final ConfigSection<LimitConfig> KEYS =
            ConfigSection.<LimitConfig>of(
                    "limits",
                    v ->
                            new LimitConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next()),
                    basic(
                            "connections",
                            count("processes"),
                            0,
                            LimitConfig::connections,
                            range(0, 4096),
                            "Maximum number of attached processes of one user; 0 stands for four"
                                    + " fifths of the 2,048 of a node."),
                    basic(
                            "contexts",
                            count("contexts"),
                            0,
                            LimitConfig::contexts,
                            range(0, 4096),
                            "Maximum number of open contexts of one user; 0 stands for four fifths"
                                    + " of those of the node."),
                    basic(
                            "memoryBytes",
                            LONG_SIZE,
                            1L << 32,
                            LimitConfig::memoryBytes,
                            range(1L << 20, 1L << 42),
                            "Maximum memory that a user's processes share with the node: regions,"
                                    + " send buffers and rings."),
                    advanced(
                            "regions",
                            count("regions"),
                            256,
                            LimitConfig::regions,
                            range(1, 65_536),
                            "Maximum number of regions of one user."),
                    advanced(
                            "heldBuffers",
                            count("buffers"),
                            0,
                            LimitConfig::heldBuffers,
                            range(0, 1 << 20),
                            "Maximum number of receive buffers that a user's contexts borrow beyond"
                                    + " those guaranteed; 0 stands for a quarter of the pool."),
                    advanced(
                            "flows",
                            count("flows"),
                            2_048,
                            LimitConfig::flows,
                            range(1, 1 << 20),
                            "Maximum number of flows of a user's contexts, sending and receiving"
                                    + " ones together."),
                    advanced(
                            "messagesPerSecond",
                            count("messages"),
                            0,
                            LimitConfig::messagesPerSecond,
                            range(0, 1_000_000_000),
                            "Messages that a user's contexts may send in a second, others wait; 0"
                                    + " stands for no limit."));

    /** The defaults. */
    public static final LimitConfig DEFAULT = KEYS.defaults();

    /** The defaults, except for the limits given. */
    public static LimitConfig of(final Map<ResourceShare, Long> limits) {
        final Map<String, Object> given = new HashMap<>();
        limits.forEach((share, limit) -> given.put(share.key(), share.value(limit)));
        return KEYS.with(DEFAULT, given);
    }

    /**
     * Connections or contexts of one user by default: four fifths of those of the node, so that
     * there are some left for the other users.
     *
     * @param total of the node.
     */
    public static int mostOf(final int total) {
        return Math.max(1, total / 5 * 4);
    }

    /** The limit of one share, as the file gives it. */
    public long limit(final ResourceShare share) {
        return ((Number) KEYS.key(share.key()).of(this)).longValue();
    }
}
