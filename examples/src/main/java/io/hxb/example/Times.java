package io.hxb.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.pm.rpc.RpcEnd;
import io.hxb.pm.rpc.RpcException;

import java.io.IOException;
import java.util.concurrent.ExecutionException;

/**
 * A service: {@code Times serve} on node 1, then any number of {@code Times ask COUNT} on node 0,
 * each with a context of its own, {@code Times ask COUNT CONTEXT}.
 */
public final class Times {
    private static final long SECOND_NS = 1_000_000_000L;

    private Times() {}

    /** Runs it. */
    public static void main(final String[] args) throws Exception {
        if (args[0].equals("serve")) {
            serve();
        } else {
            ask(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        }
    }

    private static void serve() throws IOException, InterruptedException {
        // begin
        try (RpcEnd service = RpcEnd.open(10, (node, context, request) -> twice(request))) {
            service.watch(0, 12, (node, context, isThere) -> System.err.println("12: " + isThere));
            System.err.println("serving");
            Thread.currentThread().join(); // until the process is ended
        }
        // end
    }

    private static byte[] twice(final byte[] request) {
        final int number = Integer.parseInt(new String(request, UTF_8));
        return Integer.toString(2 * number).getBytes(UTF_8);
    }

    private static void ask(final int count, final int context) throws Exception {
        int failed = 0;
        String last = "";
        // begin
        try (RpcEnd client = RpcEnd.open(context, (node, from, request) -> null)) {
            for (int i = 0; i < count; i++) {
                final byte[] request = Integer.toString(i).getBytes(UTF_8);
                try {
                    last = new String(client.call(1, 10, request, 5 * SECOND_NS).get(), UTF_8);
                } catch (final ExecutionException e) {
                    // Told: TIMED_OUT, NODE_GONE, PEER_RESTARTED and so on; never sent twice.
                    failed += e.getCause() instanceof RpcException why && why.mayBeDone() ? 1 : 0;
                }
            }
        }
        // end
        System.out.println("last " + last + ", " + failed + " may be done");
    }
}
