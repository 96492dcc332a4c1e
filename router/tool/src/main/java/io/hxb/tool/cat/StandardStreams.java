package io.hxb.tool.cat;

import io.hxb.pm.stream.HxbSocketChannel;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Joins an input and an output to a channel until both directions have ended: a thread of its own
 * sends the input and ends the channel's output after it, the caller's thread receives.
 */
final class StandardStreams {
    private static final int PIECE_BYTES = 1 << 16;

    private final HxbSocketChannel channel;
    private final InputStream input;
    private final OutputStream output;
    private volatile IOException inputFailure;

    /**
     * Makes the join of one channel.
     *
     * @param input sent until it ends; null to send nothing.
     * @param output takes what is received, not closed.
     */
    StandardStreams(
            final HxbSocketChannel channel, final InputStream input, final OutputStream output) {
        this.channel = channel;
        this.input = input;
        this.output = output;
    }

    /**
     * Sends and receives, until the peer has ended and has read all that was sent. An end out of
     * order resets the stream, so that the peer learns of it.
     *
     * @param endsWithPeer whether the end of the peer ends the input, too: nobody will end it.
     * @throws IOException if anything was not sent or not written.
     */
    void join(final boolean endsWithPeer) throws IOException {
        try {
            if (input == null) {
                channel.shutdownOutput();
            } else {
                final Thread sender = new Thread(this::sendInput, "hxb-cat-input");
                sender.setDaemon(true);
                sender.start();
            }
            receive();
            if (endsWithPeer) {
                channel.shutdownOutput();
            }
            channel.awaitDelivery(0);
        } catch (final IOException e) {
            channel.reset();
            // It has closed the channel, which is all that this thread sees of it.
            throw inputFailure == null ? e : inputFailure;
        }
    }

    private void sendInput() {
        final byte[] piece = new byte[PIECE_BYTES];
        try {
            int length = readInput(piece);
            while (length >= 0) {
                channel.write(ByteBuffer.wrap(piece, 0, length));
                length = readInput(piece);
            }
            channel.shutdownOutput();
        } catch (final InputException e) {
            inputFailure = e;
            channel.reset();
        } catch (final IOException e) {
            // The stream has ended, which the other thread notices, too, when it has read all.
            return;
        }
    }

    private int readInput(final byte[] piece) throws InputException {
        try {
            return input.read(piece);
        } catch (final IOException e) {
            throw new InputException(e);
        }
    }

    private void receive() throws IOException {
        final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        while (channel.read(piece.clear()) >= 0) {
            try {
                output.write(piece.array(), 0, piece.position());
            } catch (final IOException e) {
                throw new IOException("cannot write to standard output: " + e.getMessage(), e);
            }
        }
    }

    /** The input could not be read. */
    private static final class InputException extends IOException {
        private static final long serialVersionUID = 1L;

        InputException(final IOException cause) {
            super("cannot read standard input: " + cause.getMessage(), cause);
        }
    }
}
