package io.hxb.pm.collective;

import io.hxb.pm.collective.wire.GroupProtocol;

/** What an allreduce makes of the values of all members. Immutable. */
public enum PmFunction {
    /** The sum; integers wrap. */
    SUM(GroupProtocol.SUM),

    /** The smallest. */
    MIN(GroupProtocol.MIN),

    /** The largest. */
    MAX(GroupProtocol.MAX);

    private final int code;

    PmFunction(final int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
