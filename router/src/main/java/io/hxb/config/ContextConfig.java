package io.hxb.config;

/**
 * What applications may use of a node. Immutable.
 *
 * @param maxContexts contexts open at once, of which the node itself uses one, 2 to 4,096.
 * @param maxHeldBuffers receive buffers one context holds at most before its flows are stopped; 0
 *     for a quarter of the pool.
 */
public record ContextConfig(int maxContexts, int maxHeldBuffers) {

    /** What holds when the file says nothing. */
    public static final ContextConfig DEFAULT = new ContextConfig(64, 0);

    /** Checks the values. */
    public ContextConfig {
        new Check()
                .range("maxContexts", maxContexts, 2, 4096)
                .range("maxHeldBuffers", maxHeldBuffers, 0, 1 << 20)
                .done();
    }
}
