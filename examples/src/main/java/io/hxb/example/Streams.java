package io.hxb.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;

import java.io.IOException;

/**
 * Bytes to a port and back: {@code Streams listen} on node 1, then {@code Streams TEXT} on node 0.
 */
public final class Streams {
    private static final long SECOND_NS = 1_000_000_000L;

    private Streams() {}

    /** Runs it; prints what the other has sent. */
    public static void main(final String[] args) throws IOException {
        final byte[] bytes = args[0].getBytes(UTF_8);
        final byte[] answer;
        try (PmDevice device = PmDevice.attach()) {
            answer = args[0].equals("listen") ? serve(device) : ask(device, bytes);
        }
        System.out.println(new String(answer, UTF_8));
    }

    private static byte[] ask(final PmDevice device, final byte[] bytes) throws IOException {
        final byte[] answer;
        // begin
        try (HxbStreams streams = HxbStreams.open(device);
                HxbSocketChannel channel =
                        streams.connect(new HxbSocketAddress(1, 5000), SECOND_NS)) {
            channel.output().write(bytes); // stops when the peer's window is full
            channel.shutdownOutput();
            answer = channel.input().readAllBytes();
        }
        // end
        return answer;
    }

    private static byte[] serve(final PmDevice device) throws IOException {
        try (HxbStreams streams = HxbStreams.open(device);
                HxbServerSocketChannel server = streams.listen(5000)) {
            System.err.println("listening");
            try (HxbSocketChannel channel = server.accept()) {
                final byte[] bytes = channel.input().readAllBytes();
                channel.output().write(bytes);
                channel.shutdownOutput();
                return bytes;
            }
        }
    }
}
