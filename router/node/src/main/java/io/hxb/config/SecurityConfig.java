package io.hxb.config;

import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.described;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.list;
import static io.hxb.config.ValueType.text;

import java.util.List;

/**
 * How frames are protected against forgery, and the keys for it. Immutable.
 *
 * @param mode how frames are protected; the same on all nodes.
 * @param keys files of the keys, the first of which begins sessions: paths, or {@code
 *     credential:NAME} for a credential of the system's service manager. None without security,
 *     otherwise one or two.
 */
public record SecurityConfig(Mode mode, List<String> keys) {
    /** Prefix of a key that is a credential. */
    public static final String CREDENTIAL = "credential:";

    /** Maximum number of keys: the old one and the new one. */
    public static final int MAX_KEYS = 2;

    /** The keys. */
    public static final ConfigSection<SecurityConfig> KEYS =
            ConfigSection.<SecurityConfig>of(
                    "security",
                    v -> new SecurityConfig(v.next(), v.next()),
                    basic(
                            "mode",
                            choice(Mode.class),
                            Mode.NONE,
                            SecurityConfig::mode,
                            any(),
                            "Protection of frames against forgery, the same on all nodes; see"
                                    + " [Cluster key](#cluster-key)."),
                    basic(
                            "keys",
                            list(text("files")),
                            List.of(),
                            SecurityConfig::keys,
                            described("one or two, required with a `mode`"),
                            "The cluster's key, or two while it is changed: paths, or"
                                    + " `credential:NAME`."),
                    new ConfigSection.Rule<>(
                            "keys",
                            security -> security.mode == Mode.NONE || !security.keys.isEmpty(),
                            security ->
                                    "must name a file for mode "
                                            + name(security.mode)
                                            + "; hxb key generate makes one"),
                    new ConfigSection.Rule<>(
                            "mode",
                            security -> security.mode != Mode.NONE || security.keys.isEmpty(),
                            security -> "must be authenticate or encrypt where there are keys"),
                    new ConfigSection.Rule<>(
                            "keys",
                            security -> security.keys.size() <= MAX_KEYS,
                            security ->
                                    "must be at most two, the old and the new: "
                                            + security.keys.size()),
                    new ConfigSection.Rule<>(
                            "keys",
                            SecurityConfig::areDifferentFiles,
                            security -> "must be different files: " + security.keys));

    /** The defaults. */
    public static final SecurityConfig DEFAULT = KEYS.defaults();

    /** Copies the list. */
    public SecurityConfig {
        keys = List.copyOf(keys);
    }

    private static boolean areDifferentFiles(final SecurityConfig security) {
        return security.keys.stream().noneMatch(String::isBlank)
                && security.keys.stream().distinct().count() == security.keys.size();
    }

    private static String name(final Mode mode) {
        return mode.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** How frames are protected. */
    public enum Mode {
        /** No authentication: all that reach a link are trusted. */
        NONE(0),
        /** They carry a code, so that only nodes with the key are believed. */
        AUTHENTICATE(1),
        /** In addition, their payload is encrypted. */
        ENCRYPT(2);

        private final int code;

        Mode(final int code) {
            this.code = code;
        }

        /** Its number in frames. */
        public int code() {
            return code;
        }
    }
}
