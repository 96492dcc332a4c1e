package io.hxb.config;

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

    /** The defaults. */
    public static final LimitConfig DEFAULT = of(Map.of());

    /** Checks the values. */
    public LimitConfig {
        final Check check = new Check();
        ResourceShare.CONNECTIONS.check(check, connections);
        ResourceShare.CONTEXTS.check(check, contexts);
        ResourceShare.MEMORY_BYTES.check(check, memoryBytes);
        ResourceShare.REGIONS.check(check, regions);
        ResourceShare.HELD_BUFFERS.check(check, heldBuffers);
        ResourceShare.FLOWS.check(check, flows);
        ResourceShare.MESSAGES.check(check, messagesPerSecond);
        check.done();
    }

    /** The defaults, except for the limits given. */
    public static LimitConfig of(final Map<ResourceShare, Long> limits) {
        return new LimitConfig(
                (int) limit(limits, ResourceShare.CONNECTIONS),
                (int) limit(limits, ResourceShare.CONTEXTS),
                limit(limits, ResourceShare.MEMORY_BYTES),
                (int) limit(limits, ResourceShare.REGIONS),
                (int) limit(limits, ResourceShare.HELD_BUFFERS),
                (int) limit(limits, ResourceShare.FLOWS),
                (int) limit(limits, ResourceShare.MESSAGES));
    }

    private static long limit(final Map<ResourceShare, Long> limits, final ResourceShare share) {
        return limits.getOrDefault(share, share.fallback());
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
        return switch (share) {
            case CONNECTIONS -> connections;
            case CONTEXTS -> contexts;
            case MEMORY_BYTES -> memoryBytes;
            case REGIONS -> regions;
            case HELD_BUFFERS -> heldBuffers;
            case FLOWS -> flows;
            case MESSAGES -> messagesPerSecond;
        };
    }
}
