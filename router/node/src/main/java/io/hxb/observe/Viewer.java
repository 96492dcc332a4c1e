package io.hxb.observe;

/** What whoever asks may see. */
public enum Viewer {
    /** What everybody on the machine may see: the counters. */
    PUBLIC,

    /** All, with the values of each user. */
    OPERATOR;

    /** True if all may be seen. */
    public boolean isOperator() {
        return this == OPERATOR;
    }
}
