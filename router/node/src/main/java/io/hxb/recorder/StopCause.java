package io.hxb.recorder;

import java.util.List;

/** Why a node ends. Immutable. */
public enum StopCause {
    /** The program that it runs in closes it. */
    CLOSED(0, "its program closes it"),

    /** By the service manager, or kill(1). */
    SIGTERM(1, "SIGTERM"),

    /** By Ctrl-C. */
    SIGINT(2, "SIGINT"),

    /** Its terminal is gone. */
    SIGHUP(3, "SIGHUP"),

    /** With {@code --attended}. */
    INPUT_ENDED(4, "standard input has ended"),

    /** The log has it. */
    ERROR(5, "an error, which its log describes");

    private final int code;
    private final String text;

    StopCause(final int code, final String text) {
        this.code = code;
        this.text = text;
    }

    /** Number of the cause in files; keeps its meaning. */
    public int code() {
        return code;
    }

    /** The cause, to follow a colon. */
    public String text() {
        return text;
    }

    /** The cause with that code; {@link #CLOSED} when there is none. */
    static StopCause ofCode(final long code) {
        return List.of(values()).stream()
                .filter(cause -> cause.code == code)
                .findFirst()
                .orElse(CLOSED);
    }
}
