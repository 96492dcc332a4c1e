package io.hxb.config;

/**
 * What applications may use of a node. Immutable.
 *
 * @param maxContexts contexts open at once, of which the node itself uses one, 2 to 4,096.
 * @param maxHeldBuffers maximum number of receive buffers that one context holds before its flows
 *     are stopped; 0 for a quarter of the pool.
 * @param isolation whether processes read received messages in the node's pool.
 * @param ownBuffers receive buffers of each context that has its own, 16 to 65,536.
 */
public record ContextConfig(
        int maxContexts, int maxHeldBuffers, Isolation isolation, int ownBuffers) {

    /** The defaults. */
    public static final ContextConfig DEFAULT = new ContextConfig(64, 0, Isolation.SHARED, 256);

    /** Checks the values. */
    public ContextConfig {
        new Check()
                .range("maxContexts", maxContexts, 2, 4096)
                .range("maxHeldBuffers", maxHeldBuffers, 0, 1 << 20)
                .range("ownBuffers", ownBuffers, 16, 1 << 16)
                .done();
    }

    /** As the other constructor, with the defaults of the rest. */
    public ContextConfig(final int maxContexts, final int maxHeldBuffers) {
        this(maxContexts, maxHeldBuffers, DEFAULT.isolation, DEFAULT.ownBuffers);
    }

    /** The same with another isolation. */
    public ContextConfig withIsolation(final Isolation value) {
        return new ContextConfig(maxContexts, maxHeldBuffers, value, ownBuffers);
    }

    /** Who can read what was received. */
    public enum Isolation {
        /** Every attached process may read all received messages, none can write them. */
        SHARED,

        /** Each context has memory of its own, into which its messages are copied. */
        COPY
    }
}
