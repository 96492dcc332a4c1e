package io.hxb.tool.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What {@code hxb expose} says first on each stream, before bytes of the service.
 *
 * <pre>
 * offset  length  meaning
 * 0       2       "HX"
 * 2       1       version, 1
 * 3       1       the answer
 * </pre>
 */
enum Answer {
    /** Bytes of the service follow. */
    CONNECTED(0, "connected"),

    /** The service's machine refuses connections to this port: the service does not run. */
    REFUSED(1, "connection refused: no service listens on its TCP port there"),

    /** The service cannot be reached or does not answer. */
    UNREACHABLE(2, "its service cannot be reached from there"),

    /** As many connections are open as may be. */
    FULL(3, "connection refused: hxb expose has as many connections there as it may have");

    static final int LENGTH = 4;

    private static final int MAGIC = 'H' << 16 | 'X' << 8 | 1;

    private final int code;
    private final String text;

    Answer(final int code, final String text) {
        this.code = code;
        this.text = text;
    }

    String text() {
        return text;
    }

    /** {@return its bytes} */
    ByteBuf bytes() {
        return Unpooled.buffer(LENGTH).writeInt(MAGIC << 8 | code);
    }

    /** Reads an answer; null if something else than hxb expose has sent these bytes. */
    static Answer read(final ByteBuf bytes) {
        final int word = bytes.readInt();
        for (final Answer answer : values()) {
            if (word == (MAGIC << 8 | answer.code)) {
                return answer;
            }
        }
        return null;
    }
}
