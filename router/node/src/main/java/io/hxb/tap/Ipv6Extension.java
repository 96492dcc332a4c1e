package io.hxb.tap;

import io.hxb.linux.Memory;

/** Extension headers of IPv6, of at least 8 bytes. Stateless. Source: RFC 8200, 4. */
final class Ipv6Extension {
    private static final int HOP_OPTIONS = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int OPTIONS = 60;
    private static final int UNIT_BYTES = 8;

    private Ipv6Extension() {}

    /** True if a number of the field "next header" is that of one. */
    static boolean is(final int header) {
        return header == HOP_OPTIONS
                || header == ROUTING
                || header == FRAGMENT
                || header == OPTIONS;
    }

    /** Bytes of one. */
    static int bytes(final int header, final long address) {
        return header == FRAGMENT
                ? UNIT_BYTES
                : UNIT_BYTES * (Memory.getUnsignedByte(address + 1) + 1);
    }

    /** True if it begins a fragment that is not the first. */
    static boolean isLaterFragment(final int header, final long address) {
        return header == FRAGMENT && Memory.getUnsignedShortBigEndian(address + 2) >>> 3 != 0;
    }
}
