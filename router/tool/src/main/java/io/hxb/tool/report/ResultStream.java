package io.hxb.tool.report;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output that remembers why it could not be written, while {@link PrintStream} only
 * reports that something went wrong. Any thread may print.
 */
public final class ResultStream extends PrintStream {
    private final Sink sink;

    private ResultStream(final Sink sink) {
        super(sink, true, StandardCharsets.UTF_8);
        this.sink = sink;
    }

    /** A stream over the process's standard output. */
    public static ResultStream ofProcess() {
        return over(new FileOutputStream(FileDescriptor.out));
    }

    /** A stream over another one. */
    static ResultStream over(final OutputStream target) {
        return new ResultStream(new Sink(target));
    }

    /**
     * Why something printed to {@code stream} before could not be written.
     *
     * @return null if all was written, or if it is not a stream of this kind.
     */
    public static IOException failure(final PrintStream stream) {
        return stream instanceof ResultStream results ? results.sink.failure : null;
    }

    /**
     * What went wrong, in a sentence for the user; flushes first.
     *
     * @return null if all was written.
     */
    public static String complaint(final PrintStream stream) {
        if (!stream.checkError()) {
            return null;
        }
        final IOException failure = failure(stream);
        return "cannot write to standard output"
                + (failure == null ? "" : ": " + failure.getMessage());
    }

    /**
     * True if the reader of {@code stream} has gone, as {@code head} does, so that nobody can be
     * notified.
     */
    public static boolean isReaderGone(final PrintStream stream) {
        final IOException failure = failure(stream);
        return failure != null && "Broken pipe".equals(failure.getMessage());
    }

    /** Keeps the first failure. */
    private static final class Sink extends OutputStream {
        private final OutputStream target;
        // Read by threads that print while another one fails.
        private volatile IOException failure;

        Sink(final OutputStream target) {
            super();
            this.target = target;
        }

        @Override
        public void write(final int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(final byte[] octets, final int offset, final int length)
                throws IOException {
            try {
                target.write(octets, offset, length);
            } catch (final IOException e) {
                throw kept(e);
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                target.flush();
            } catch (final IOException e) {
                throw kept(e);
            }
        }

        private IOException kept(final IOException thrown) {
            failure = failure == null ? thrown : failure;
            return thrown;
        }
    }
}
