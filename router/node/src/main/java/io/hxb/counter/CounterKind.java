package io.hxb.counter;

/** How the value of a counter moves. */
public enum CounterKind {
    /** It only grows. */
    COUNT(0),

    /** It goes up and down. */
    LEVEL(1);

    private final int code;

    CounterKind(final int code) {
        this.code = code;
    }

    /** The code in the file. */
    int code() {
        return code;
    }

    /** The kind with that code; null if there is none. */
    static CounterKind ofCode(final int code) {
        return switch (code) {
            case 0 -> COUNT;
            case 1 -> LEVEL;
            default -> null;
        };
    }
}
