package io.hxb.log;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Escapes control characters of text in UTF-8 on its way to a terminal or a log, except for the
 * ends of lines and tabs: text may have words of others in it, such as names of a cluster file or
 * of another host. Used by one thread at a time.
 */
public final class PrintableOutput extends FilterOutputStream {
    private static final int FIRST_PLAIN = 0x20;
    private static final int DELETE = 0x7F;
    private static final int OCTET = 0xFF;

    /** The first byte of U+0080 to U+009F, some of which a terminal obeys, and of others. */
    private static final int LATIN_LEAD = 0xC2;

    private static final int FIRST_TRAIL = 0x80;
    private static final int LAST_CONTROL_TRAIL = 0x9F;

    private boolean hasLead;

    /** Writes to {@code target}. */
    public PrintableOutput(final OutputStream target) {
        super(target);
    }

    @Override
    public void write(final int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        int begin = offset;
        for (int i = offset; i < offset + length; i++) {
            final int b = bytes[i] & OCTET;
            if (hasLead || isControl(b) || b == LATIN_LEAD) {
                out.write(bytes, begin, i - begin);
                begin = i + 1;
                put(b);
            }
        }
        out.write(bytes, begin, offset + length - begin);
    }

    private void put(final int b) throws IOException {
        if (hasLead && b >= FIRST_TRAIL && b <= LAST_CONTROL_TRAIL) {
            hasLead = false;
            escape(b);
            return;
        }
        if (hasLead) {
            hasLead = false;
            out.write(LATIN_LEAD);
        }
        if (b == LATIN_LEAD) {
            hasLead = true;
        } else if (isControl(b)) {
            escape(b);
        } else {
            out.write(b);
        }
    }

    private static boolean isControl(final int b) {
        return (b < FIRST_PLAIN && b != '\n' && b != '\t') || b == DELETE;
    }

    private void escape(final int c) throws IOException {
        out.write(String.format("\\u%04x", c).getBytes(StandardCharsets.US_ASCII));
    }
}
