package io.hxb.config;

import java.util.Arrays;
import java.util.Optional;

/**
 * The shared resources of a node, each of which has a limit for users and tenants. Immutable.
 *
 * <p>The bounds and defaults here are those of one user ({@link LimitConfig}); the limits of a
 * tenant have the same bounds and no defaults.
 */
public enum ResourceShare {
    /** Attached processes; 0 stands for four fifths of the node's. */
    CONNECTIONS("connections", "connections", 0, 4096, 0),

    /** Open contexts; 0 stands for four fifths of the node's. */
    CONTEXTS("contexts", "contexts", 0, 4096, 0),

    /** Memory of regions, send buffers and rings. */
    MEMORY_BYTES("memoryBytes", "bytes of shared memory", 1L << 20, 1L << 42, 1L << 32),

    /** Regions, each of which is a mapping of the node. */
    REGIONS("regions", "regions", 1, 65_536, 256),

    /** Receive buffers that contexts hold; 0 stands for a quarter of the pool. */
    HELD_BUFFERS("heldBuffers", "held receive buffers", 0, 1 << 20, 0),

    /** Flows, sending and receiving ones together. */
    FLOWS("flows", "flows", 1, 1 << 20, 2_048),

    /** Messages sent per second; 0 stands for no limit. */
    MESSAGES("messagesPerSecond", "messages a second", 0, 1_000_000_000, 0);

    private final String key;
    private final String noun;
    private final long min;
    private final long max;
    private final long fallback;

    ResourceShare(
            final String key,
            final String noun,
            final long min,
            final long max,
            final long fallback) {
        this.key = key;
        this.noun = noun;
        this.min = min;
        this.max = max;
        this.fallback = fallback;
    }

    /** Its key in the sections of limits. */
    public String key() {
        return key;
    }

    /** The things that it counts, in the plural, for messages. */
    public String noun() {
        return noun;
    }

    /** True if it counts bytes, whose limit is written as a size. */
    public boolean isSize() {
        return key.endsWith("Bytes");
    }

    /** Smallest limit that a file may give. */
    public long min() {
        return min;
    }

    /** Largest limit that a file may give. */
    public long max() {
        return max;
    }

    /** Limit of one user when the file says nothing. */
    public long fallback() {
        return fallback;
    }

    /** The share with that key. */
    public static Optional<ResourceShare> ofKey(final String key) {
        return Arrays.stream(values()).filter(share -> share.key.equals(key)).findFirst();
    }

    /** Checks a limit that a file gives. */
    void check(final Check check, final long limit) {
        if (isSize()) {
            check.size(key, limit, min, max);
        } else {
            check.range(key, limit, min, max);
        }
    }
}
