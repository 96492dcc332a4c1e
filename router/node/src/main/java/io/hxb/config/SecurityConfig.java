package io.hxb.config;

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

    /** The defaults. */
    public static final SecurityConfig DEFAULT = new SecurityConfig(Mode.NONE, List.of());

    /** Checks the values. */
    public SecurityConfig {
        keys = List.copyOf(keys);
        new Check()
                .that(
                        mode == Mode.NONE || !keys.isEmpty(),
                        "keys",
                        "must name a file for mode " + name(mode) + "; hxb key generate makes one")
                .that(
                        mode != Mode.NONE || keys.isEmpty(),
                        "mode",
                        "must be authenticate or encrypt where there are keys")
                .that(
                        keys.size() <= MAX_KEYS,
                        "keys",
                        "must be at most two, the old and the new: " + keys.size())
                .that(
                        keys.stream().noneMatch(String::isBlank)
                                && keys.stream().distinct().count() == keys.size(),
                        "keys",
                        "must be different files: " + keys)
                .done();
    }

    private static String name(final Mode mode) {
        return mode.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** How frames are protected. */
    public enum Mode {
        /** Not at all: whoever reaches a link is believed. */
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
