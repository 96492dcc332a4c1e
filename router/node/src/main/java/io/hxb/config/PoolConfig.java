package io.hxb.config;

/**
 * The receive pool of a node. Immutable.
 *
 * @param bufferCount buffers, 64 to 2^20.
 * @param bufferBytes bytes of each, a multiple of 64, 512 to 72 KiB.
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

    /** The defaults. */
    public static final PoolConfig DEFAULT = new PoolConfig(5120, 12 * 1024, HugePages.AUTO);

    /** The defaults for a node with this number of links. */
    public static PoolConfig ofLinks(final int linkCount) {
        return new PoolConfig(
                Math.max(DEFAULT.bufferCount, BUFFERS_PER_LINK * linkCount + APPLICATION_BUFFERS),
                DEFAULT.bufferBytes,
                DEFAULT.hugePages);
    }

    /** Checks the values. */
    public PoolConfig {
        new Check()
                .range("buffers", bufferCount, 64, 1 << 20)
                .size("bufferBytes", bufferBytes, 512, 72 * 1024)
                .that(
                        bufferBytes % 64 == 0,
                        "bufferBytes",
                        "must be a multiple of 64: " + bufferBytes)
                .done();
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
