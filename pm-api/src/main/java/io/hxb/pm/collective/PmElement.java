package io.hxb.pm.collective;

import io.hxb.pm.collective.wire.GroupProtocol;

/** What an allreduce combines: little-endian numbers, one after the other. Immutable. */
public enum PmElement {
    /** Signed, 32 bits. */
    INT32(GroupProtocol.INT32),

    /** Signed, 64 bits. */
    INT64(GroupProtocol.INT64),

    /** Floating point, 64 bits. */
    DOUBLE(GroupProtocol.DOUBLE);

    private final int code;

    PmElement(final int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** {@return the length of one in bytes} */
    public int lengthBytes() {
        return GroupProtocol.elementBytes(code);
    }
}
