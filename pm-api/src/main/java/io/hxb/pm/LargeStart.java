package io.hxb.pm;

/**
 * How large messages are sent over a context. Each one begins with a start; one that does not fit
 * into it follows as fragments. The tag of the underlying message carries the number of the large
 * one (31 bits) and in its highest bit whether this is a fragment.
 *
 * <pre>
 * start: offset length meaning (little-endian)
 *             0      8 length of the large message in bytes
 *             8      4 the application's tag
 *            12      4 0
 *            16        all of the payload, or nothing
 * fragment:            payload only, each as long as a message can be but the last
 * </pre>
 *
 * A receiver that does not want one that follows as fragments sends its start back, with {@link
 * #REFUSED} for the length and its number; its sender sends no more of it.
 */
final class LargeStart {
    static final int LENGTH = 16;
    static final int TAG = 8;
    static final int RESERVED = 12;
    static final int FRAGMENT = 1 << 31;

    /** Length in the start of a message that is refused. */
    static final long REFUSED = 1L << 62;

    private LargeStart() {}
}
