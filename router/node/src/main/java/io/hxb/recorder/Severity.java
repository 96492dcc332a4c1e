package io.hxb.recorder;

import java.util.Locale;

/** How bad an event is for the node. */
public enum Severity {
    /** Part of normal operation. */
    INFO,

    /** The node copes with it, but something is wrong. */
    WARNING,

    /** Something does not work any more. */
    ERROR;

    /** The word for it: {@code warning}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
