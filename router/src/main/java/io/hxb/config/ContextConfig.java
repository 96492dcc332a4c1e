package io.hxb.config;

/**
 * What applications may use of a node. Immutable.
 *
 * @param maxContexts contexts open at once, of which the node itself uses one, 1 to 4,096; 0 for as
 *     many as the CPUs of the machine suggest.
 * @param maxHeldBuffers maximum number of receive buffers that one context holds before its flows
 *     are stopped; 0 for a quarter of the pool.
 * @param isolation whether processes read received messages in the node's pool.
 * @param ownBuffers receive buffers of each context that has its own, 16 to 65,536.
 */
public record ContextConfig(
        int maxContexts, int maxHeldBuffers, Isolation isolation, int ownBuffers) {

    /** The defaults. */
    public static final ContextConfig DEFAULT = new ContextConfig(0, 0, Isolation.SHARED, 256);

    /** More contexts than any node has. */
    public static final int MAX_CONTEXTS = 4096;

    private static final int MIN_DEFAULT_CONTEXTS = 64;
    private static final int MAX_DEFAULT_CONTEXTS = 1024;
    private static final int CONTEXTS_PER_CPU = 4;

    /** Checks the values. */
    public ContextConfig {
        new Check()
                .range("maxContexts", maxContexts, 0, MAX_CONTEXTS)
                .range("maxHeldBuffers", maxHeldBuffers, 0, 1 << 20)
                .range("ownBuffers", ownBuffers, 16, 1 << 16)
                .done();
    }

    /** Contexts that may be open at once on a machine of any size. */
    public int minContexts() {
        return maxContexts > 0 ? maxContexts : MIN_DEFAULT_CONTEXTS;
    }

    /**
     * Contexts that may be open at once on a machine with so many CPUs, unless the file says how
     * many. A job has one or two for each CPU, and two jobs have room: what one user may have by
     * default is half of it ({@link LimitConfig#contextsFor}).
     */
    int contextsFor(final int cpus) {
        final long wanted = Math.min(MAX_DEFAULT_CONTEXTS, (long) CONTEXTS_PER_CPU * cpus);
        return maxContexts > 0 ? maxContexts : (int) Math.max(MIN_DEFAULT_CONTEXTS, wanted);
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
