package io.hxb.tool.doctor;

/**
 * One thing that was looked at. Immutable; the JSON fields are the components.
 *
 * @param level how bad it is.
 * @param subject what was looked at, such as {@code nic eth2}.
 * @param text what was found.
 * @param fix what to do about it; empty when nothing is to be done.
 */
public record Finding(Level level, String subject, String text, String fix) {
    /** How bad a finding is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Works, but could be better. */
        WARN,
        /** Something will not work. */
        FAIL
    }

    static Finding ok(final String subject, final String text) {
        return new Finding(Level.OK, subject, text, "");
    }

    static Finding warn(final String subject, final String text, final String fix) {
        return new Finding(Level.WARN, subject, text, fix);
    }

    static Finding fail(final String subject, final String text, final String fix) {
        return new Finding(Level.FAIL, subject, text, fix);
    }

    /** Something that will not work, whose text says what to do itself. */
    public static Finding failed(final String subject, final String text) {
        return fail(subject, text, "");
    }
}
