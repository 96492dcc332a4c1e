package io.hxb.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.pm.rpc.RpcEndpoint;
import io.hxb.pm.rpc.RpcException;

import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;

/**
 * A service on node 0 and clients on nodes 1 to 3: {@code Service} serves, and {@code Service
 * CONTEXT PAUSE_MS} sends requests until a line is typed.
 */
public final class Service {
    private static final int SERVER = 10;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private Service() {}

    /** Runs the service or a client. */
    public static void main(final String[] args) throws Exception {
        if (args.length == 0) {
            serve();
        } else {
            ask(Integer.parseInt(args[0]), Long.parseLong(args[1]));
        }
    }

    private static void serve() throws Exception {
        // begin
        try (RpcEndpoint service =
                RpcEndpoint.open(SERVER, (node, context, request) -> carryOut(request))) {
            for (int node = 1; node < service.nodeCount(); node++) {
                service.watch(node, SERVER + node, Service::onClient);
            }
            System.err.println("serving");
            Thread.currentThread().join(); // until the process is ended
        }
        // end
    }

    private static byte[] carryOut(final byte[] request) {
        System.out.println("did " + new String(request, UTF_8));
        return request;
    }

    private static void onClient(final int node, final int context, final boolean isPresent) {
        System.err.println("client " + context + (isPresent ? " is there" : " is gone"));
    }

    private static void ask(final int context, final long pauseMs) throws Exception {
        final String name = context + "-" + ProcessHandle.current().pid() + "-";
        final Phaser open = new Phaser(1);
        int asked = 0;
        // begin
        try (RpcEndpoint client = RpcEndpoint.open(context, (node, from, request) -> request)) {
            for (; System.in.available() == 0; asked++) {
                final String id = name + asked;
                open.register();
                client.callWhenRoom(0, SERVER, id.getBytes(UTF_8), TIMEOUT_NS)
                        .whenComplete(
                                (reply, why) -> {
                                    // Called for each request, at its deadline at the latest.
                                    final boolean mayBeDone =
                                            why instanceof RpcException e && e.mayBeDone();
                                    final String failure =
                                            mayBeDone ? " may be done: " : " not done: ";
                                    System.out.println(id + (why == null ? " ok" : failure + why));
                                    open.arriveAndDeregister();
                                });
                Thread.sleep(pauseMs);
            }
            open.arriveAndAwaitAdvance();
        }
        // end
        System.out.println("asked " + asked);
    }
}
