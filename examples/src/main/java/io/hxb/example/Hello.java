package io.hxb.example;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.util.stream.Stream;

/**
 * Sends a greeting to the same program on another node: {@code Hello 1} on node 0 and {@code Hello
 * 0} on node 1, one after the other in either order. Nodes are given by their coordinates, such as
 * {@code 1,0,2} in a cluster of three dimensions.
 */
public final class Hello {
    private static final long SECOND_NS = 1_000_000_000L;

    private Hello() {}

    /** Runs it; the exit status is 0 when the other's message has come and ours has arrived. */
    public static void main(final String[] args) {
        if (args.length != 1) {
            System.err.println("usage: Hello X,Y,Z (coordinates of the other node)");
            System.exit(2);
        }
        final int[] peer = Stream.of(args[0].split(",")).mapToInt(Integer::parseInt).toArray();
        try {
            System.exit(exchange(peer) ? 0 : 1);
        } catch (final IOException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static boolean exchange(final int[] peer) throws IOException {
        // begin
        try (PmDevice device = PmDevice.attach();
                PmContext context = device.openContext(1)) {
            // Send: the message waits for the program on the other node, which may start later.
            final byte[] hello = ("hello from node " + device.nodeId()).getBytes(US_ASCII);
            int status = context.send(device.nodeId(peer), 1, hello, 42, SECOND_NS);
            System.err.println("sent: " + PmStatus.name(status));
            // Receive: wait for a message, read it in place, release it.
            final PmMessage message = new PmMessage();
            if (status == PmStatus.OK) {
                status = context.receive(message, 20 * SECOND_NS);
            }
            if (status == PmStatus.OK) {
                final int length = message.lengthBytes();
                System.out.println(message.buffer().getStringWithoutLengthAscii(0, length));
                context.release(message);
                status = context.awaitAllSends(SECOND_NS); // closing would not wait for it
            }
            // Problems with a peer are reported as events.
            for (final PmEvent event = new PmEvent(); context.pollEvent(event) == PmStatus.OK; ) {
                System.err.println(event);
            }
            return status == PmStatus.OK;
        }
        // end
    }
}
