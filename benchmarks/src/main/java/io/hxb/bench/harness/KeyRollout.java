package io.hxb.bench.harness;

import io.hxb.config.SecurityConfig;

import java.nio.file.Path;
import java.util.List;

/**
 * A step of a change of the cluster's key in which half of the nodes have been changed: those with
 * odd numbers. The steps are those of docs/howto/security.md.
 */
public enum KeyRollout {
    /** All nodes have one key. */
    NONE,
    /** Half of the nodes know the new key besides. */
    KNOWN,
    /** Half of the nodes use the new key, and all know both. */
    USED,
    /** Half of the nodes have forgotten the old key, and all use the new one. */
    FORGOTTEN;

    /** What nodes have that have not been changed. */
    SecurityConfig before(final SecurityConfig.Mode mode, final Path oldKey, final Path newKey) {
        return switch (this) {
            case NONE, KNOWN -> config(mode, oldKey);
            case USED -> config(mode, oldKey, newKey);
            case FORGOTTEN -> config(mode, newKey, oldKey);
        };
    }

    /** What nodes have that have been changed. */
    SecurityConfig after(final SecurityConfig.Mode mode, final Path oldKey, final Path newKey) {
        return switch (this) {
            case NONE -> config(mode, oldKey);
            case KNOWN -> config(mode, oldKey, newKey);
            case USED -> config(mode, newKey, oldKey);
            case FORGOTTEN -> config(mode, newKey);
        };
    }

    private static SecurityConfig config(final SecurityConfig.Mode mode, final Path... keys) {
        return new SecurityConfig(mode, List.of(keys).stream().map(Path::toString).toList());
    }
}
