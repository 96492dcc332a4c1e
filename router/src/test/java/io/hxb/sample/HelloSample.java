package io.hxb.sample;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.nio.file.Path;

/** The sample of the README; a test compares the two. */
final class HelloSample {
    private HelloSample() {}

    static String hello(final Path socket, final int peerNode) throws IOException {
        String received = "";
        // begin
        try (PmDevice device = PmDevice.attach(socket);
                PmContext context = device.openContext(1)) {
            // Send: claim a buffer in shared memory, fill it, hand it over. Nothing is copied.
            final int slot = context.claim(peerNode, 1, 5);
            if (slot >= 0) {
                context.sendBuffer(slot).putBytes(0, "hello".getBytes(US_ASCII));
                context.send(slot, 5, 42);
            }
            // Receive: wait a second, read in place, release.
            final PmMessage message = new PmMessage();
            if (context.await(1_000_000_000L) == PmStatus.OK
                    && context.receive(message) == PmStatus.OK) {
                received = message.buffer().getStringWithoutLengthAscii(0, message.lengthBytes());
                context.release(message);
            }
        }
        // end
        return received;
    }
}
