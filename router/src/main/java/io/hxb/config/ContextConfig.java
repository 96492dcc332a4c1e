package io.hxb.config;

/**
 * What applications may use of a node. Immutable.
 *
 * @param maxContexts contexts open at once, 1 to 4,096.
 * @param sendBufferCount send buffers of each context, a power of two, 4 to 65,536.
 * @param deliveryRingEntries messages that wait for an application at most, a power of two, 16 to
 *     65,536.
 * @param maxHeldBuffers receive buffers one context holds at most before its flows are stopped; 0
 *     for a quarter of the pool.
 * @param isolation whether applications see the pool that all share.
 */
public record ContextConfig(
        int maxContexts,
        int sendBufferCount,
        int deliveryRingEntries,
        int maxHeldBuffers,
        Isolation isolation) {

    /** What holds when the file says nothing. */
    public static final ContextConfig DEFAULT =
            new ContextConfig(64, 256, 4096, 0, Isolation.SHARED);

    /** Checks the values. */
    public ContextConfig {
        new Check()
                .range("maxContexts", maxContexts, 1, 4096)
                .powerOfTwo("sendBuffers", sendBufferCount, 4, 65_536)
                .powerOfTwo("deliveryRingEntries", deliveryRingEntries, 16, 65_536)
                .range("maxHeldBuffers", maxHeldBuffers, 0, 1 << 20)
                .done();
    }

    /** Whether applications see the pool that all share. */
    public enum Isolation {
        /** All applications map the node's receive pool, read-only. */
        SHARED,

        /** Each context has a pool of its own, at the cost of one copy. */
        COPY
    }
}
