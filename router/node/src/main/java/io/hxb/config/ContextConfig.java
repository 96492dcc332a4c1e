package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.count;

/**
 * What applications may use of a node. Immutable.
 *
 * @param maxContexts contexts open at once, of which the node itself uses one, 1 to 4,096; 0 for as
 *     many as the pool has buffers for ({@link ClusterConfig#contexts}).
 * @param maxHeldBuffers maximum number of receive buffers that one context holds before its flows
 *     are stopped; 0 for a quarter of the pool.
 * @param isolation whether processes read received messages in the node's pool.
 * @param ownBuffers receive buffers of each context that has its own, 16 to 65,536; 0 for as many
 *     as 4 MiB hold ({@link #ownBuffers(int)}).
 */
public record ContextConfig(
        int maxContexts, int maxHeldBuffers, Isolation isolation, int ownBuffers) {

    /** More contexts than any node has. */
    public static final int MAX_CONTEXTS = 4096;

    private static final int MIN_DEFAULT_CONTEXTS = 64;

    private static final int OWN_BUFFERS_BYTES = 4 << 20;
    private static final int MAX_DEFAULT_OWN_BUFFERS = 256;

    /** A user may have 1,024 of them, and there are more for others. */
    private static final int MAX_DEFAULT_CONTEXTS = 1_280;

    /** One part in this number of the buffers is kept for contexts that may be opened. */
    private static final int FLOOR_PART = 3;

    /** The keys. */
    public static final ConfigSection<ContextConfig> KEYS =
            ConfigSection.<ContextConfig>of(
                    "context",
                    v -> new ContextConfig(v.next(), v.next(), v.next(), v.next()),
                    basic(
                            "maxContexts",
                            count("contexts"),
                            0,
                            ContextConfig::maxContexts,
                            range(0, MAX_CONTEXTS),
                            "Maximum number of contexts of one node, which uses one itself; 0 makes"
                                + " it depend on the [pool](#how-many-contexts-and-connections)."),
                    advanced(
                            "maxHeldBuffers",
                            count("buffers"),
                            0,
                            ContextConfig::maxHeldBuffers,
                            range(0, 1 << 20),
                            "Maximum number of receive buffers that one context may hold; 0 stands"
                                    + " for a quarter of the pool."),
                    basic(
                            "isolation",
                            choice(Isolation.class),
                            Isolation.SHARED,
                            ContextConfig::isolation,
                            any(),
                            "Who can read received messages: all attached processes, or by `copy`"
                                    + " only their receiver ([Isolation](#isolation))."),
                    advanced(
                            "ownBuffers",
                            count("buffers"),
                            0,
                            ContextConfig::ownBuffers,
                            Limits.<ContextConfig>range(16, 1 << 16)
                                    .orZero("as many as 4 MiB hold"),
                            "Receive buffers of a context with `copy`, which count as"
                                    + " `limits.memoryBytes` of its user; 0 for as many as 4 MiB"
                                    + " hold."));

    /** The defaults. */
    public static final ContextConfig DEFAULT = KEYS.defaults();

    /**
     * Receive buffers of a context: 0 if its messages stay in the node's pool.
     *
     * @param bufferBytes bytes of each.
     */
    public int ownBuffers(final int bufferBytes) {
        if (isolation == Isolation.SHARED) {
            return 0;
        }
        return ownBuffers > 0
                ? ownBuffers
                : Math.min(MAX_DEFAULT_OWN_BUFFERS, OWN_BUFFERS_BYTES / bufferBytes);
    }

    /** Contexts that may be open at once in any case. */
    public int minContexts() {
        return maxContexts > 0 ? maxContexts : MIN_DEFAULT_CONTEXTS;
    }

    /**
     * Contexts that may be open at once, unless the file sets their number: for each of them a
     * buffer is kept, and those are a third of what applications may hold.
     *
     * @param buffers of the pool that applications may hold.
     */
    int contextsFor(final int buffers) {
        return maxContexts > 0
                ? maxContexts
                : Math.clamp(buffers / FLOOR_PART, MIN_DEFAULT_CONTEXTS, MAX_DEFAULT_CONTEXTS);
    }

    /** As the other constructor, with the defaults of the rest. */
    public ContextConfig(final int maxContexts, final int maxHeldBuffers) {
        this(maxContexts, maxHeldBuffers, DEFAULT.isolation, DEFAULT.ownBuffers);
    }

    /** The same with another isolation. */
    public ContextConfig withIsolation(final Isolation value) {
        return KEYS.with(this, "isolation", value);
    }

    /** Who can read what was received. */
    public enum Isolation {
        /** Every attached process may read all received messages, none can write them. */
        SHARED,

        /** Each context has memory of its own, into which its messages are copied. */
        COPY
    }
}
