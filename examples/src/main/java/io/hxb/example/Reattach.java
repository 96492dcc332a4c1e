package io.hxb.example;

import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.NodeGoneException;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A server that goes on when the node of its machine is restarted: sends back what comes. */
public final class Reattach {
    private Reattach() {}

    /** Runs until it is interrupted. */
    public static void main(final String[] args) throws IOException, InterruptedException {
        // begin
        while (true) {
            try (PmDevice device = PmDevice.attach();
                    HxbStreams streams = HxbStreams.open(device);
                    HxbServerSocketChannel server = streams.listen(5000)) {
                while (true) {
                    serve(server.accept());
                }
            } catch (NodeGoneException e) {
                // the node has ended under us
            } catch (PmException e) {
                if (!e.isNodeMissing()) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(200); // none runs yet
            }
        }
        // end
    }

    private static void serve(final HxbSocketChannel client) throws IOException {
        try (client) {
            client.output().write(client.input().readAllBytes());
            client.shutdownOutput();
        }
    }
}
