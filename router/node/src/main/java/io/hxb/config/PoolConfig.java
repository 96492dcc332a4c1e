package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.SIZE;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.count;

/**
 * The receive pool of a node. Immutable.
 *
 * @param bufferCount buffers, 64 to 2^20.
 * @param bufferBytes bytes of each, a multiple of 64, 512 to 72 KiB; 0 for what the longest frame
 *     needs ({@link ClusterConfig#bufferBytes}).
 * @param hugePages whether the pool lies in huge pages.
 */
public record PoolConfig(int bufferCount, int bufferBytes, HugePages hugePages) {
    /**
     * Minimum number of buffers for each link: as many as wait in it for frames, and as many to
     * work with.
     */
    public static final int BUFFERS_PER_LINK = 128;

    /** Maximum number of buffers that each loop except the first keeps for itself. */
    static final int BUFFERS_PER_LOOP = 128;

    private static final int APPLICATION_BUFFERS = 2048;

    /** The keys. */
    public static final ConfigSection<PoolConfig> KEYS =
            ConfigSection.<PoolConfig>of(
                    "pool",
                    v -> new PoolConfig(v.next(), v.next(), v.next()),
                    basic(
                            "buffers",
                            count("buffers"),
                            5120,
                            PoolConfig::bufferCount,
                            range(64, 1 << 20),
                            "Receive buffers of the node; at least 128 for each link and one for"
                                    + " each context ([details](#buffers-of-the-pool))."),
                    advanced(
                            "bufferBytes",
                            SIZE,
                            0,
                            PoolConfig::bufferBytes,
                            Limits.<PoolConfig>range(512, 72 * 1024)
                                    .orZero("what the longest frame needs"),
                            "Size of a buffer, a multiple of 64; 0 takes what the longest frame"
                                    + " needs ([details](#sizes-of-frames))."),
                    basic(
                            "hugePages",
                            choice(HugePages.class),
                            HugePages.AUTO,
                            PoolConfig::hugePages,
                            any(),
                            "Pages of 2 MiB for the pool; `auto` uses small pages where they are"
                                    + " missing, `on` does not start then."),
                    new ConfigSection.Rule<>(
                            "bufferBytes",
                            pool -> pool.bufferBytes % 64 == 0,
                            pool -> "must be a multiple of 64: " + pool.bufferBytes));

    /** The defaults. */
    public static final PoolConfig DEFAULT = KEYS.defaults();

    /** The defaults for a node with this number of links. */
    public static PoolConfig ofLinks(final int linkCount) {
        return new PoolConfig(
                Math.max(DEFAULT.bufferCount, BUFFERS_PER_LINK * linkCount + APPLICATION_BUFFERS),
                DEFAULT.bufferBytes,
                DEFAULT.hugePages);
    }

    /**
     * Buffers that all applications together may hold. The others, at least a quarter of the pool,
     * are for links that receive, for relayed frames and for control frames.
     *
     * @param linkCount links of the node.
     * @param loops receiving loops of it.
     * @param contexts that may be open at the same time; there is a buffer for each.
     */
    int applicationBuffers(final int linkCount, final int loops, final int contexts) {
        final int reserved = BUFFERS_PER_LINK * linkCount + BUFFERS_PER_LOOP * (loops - 1);
        final int quarter = bufferCount / 4;
        final int free = Math.clamp(bufferCount - reserved, quarter, 3 * quarter);
        return Math.max(contexts, free);
    }

    /** Whether the pool lies in huge pages. */
    public enum HugePages {
        /** When enough of them are free. */
        AUTO,

        /** Always; the node does not start without. */
        ON,

        /** Never. */
        OFF
    }
}
