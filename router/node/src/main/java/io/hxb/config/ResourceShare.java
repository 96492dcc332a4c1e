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
    CONNECTIONS("connections", "connections"),

    /** Open contexts; 0 stands for four fifths of the node's. */
    CONTEXTS("contexts", "contexts"),

    /** Memory of regions, send buffers and rings. */
    MEMORY_BYTES("memoryBytes", "bytes of shared memory"),

    /** Regions, each of which is a mapping of the node. */
    REGIONS("regions", "regions"),

    /** Receive buffers that contexts hold; 0 stands for a quarter of the pool. */
    HELD_BUFFERS("heldBuffers", "held receive buffers"),

    /** Flows, sending and receiving ones together. */
    FLOWS("flows", "flows"),

    /** Messages sent per second; 0 stands for no limit. */
    MESSAGES("messagesPerSecond", "messages a second");

    private final String key;
    private final String noun;

    ResourceShare(final String key, final String noun) {
        this.key = key;
        this.noun = noun;
    }

    /** Its key in the sections of limits. */
    public String key() {
        return key;
    }

    /** The things that it counts, in the plural, for messages. */
    public String noun() {
        return noun;
    }

    /** The descriptor of its key. */
    public ConfigKey<LimitConfig, ?> descriptor() {
        return LimitConfig.KEYS.key(key);
    }

    /** True if it counts bytes, whose limit is written as a size. */
    public boolean isSize() {
        return descriptor().type() == ValueType.LONG_SIZE;
    }

    /** A limit as a value of its key. */
    Object value(final long limit) {
        return descriptor().type().ofNumber(limit);
    }

    /** A limit as a file has it. */
    public String write(final long limit) {
        return descriptor().type().formatNumber(limit);
    }

    /** The share with that key. */
    public static Optional<ResourceShare> ofKey(final String key) {
        return Arrays.stream(values()).filter(share -> share.key.equals(key)).findFirst();
    }

    /** Checks a limit that a file gives. */
    void check(final Check check, final long limit) {
        check(check, descriptor(), limit);
    }

    private static <V> void check(
            final Check check, final ConfigKey<LimitConfig, V> key, final long limit) {
        key.check(check, LimitConfig.DEFAULT, key.type().ofNumber(limit));
    }
}
