package io.hxb.bench.soak;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that takes all that it can get from its node: connections, contexts, regions, and
 * receive buffers, by sending to itself and its counterparts on other nodes without ever receiving.
 * It does not end by itself. One thread.
 */
public final class SoakHog {
    private static final int FIRST_CONTEXT = 16;
    private static final int CONTEXTS = 200;
    private static final int CONNECTIONS = 40;
    private static final int REGIONS = 16;
    private static final long REGION_BYTES = 8L << 20;
    private static final int BURST = 64;
    private static final int LENGTH_BYTES = 4_000;
    private static final long PAUSE_NS = 5_000_000;

    private SoakHog() {}

    /** Runs one: {@code socket nodes}. */
    public static void main(final String[] arguments) {
        final Path socket = Path.of(arguments[0]);
        final int nodes = Integer.parseInt(arguments[1]);
        final List<PmDevice> devices = new ArrayList<>();
        final List<PmContext> contexts = new ArrayList<>();
        int refused = 0;
        int next = FIRST_CONTEXT;
        for (int i = 0; i < CONNECTIONS; i++) {
            try {
                final PmDevice device = PmDevice.attach(socket);
                devices.add(device);
                for (int j = 0; j < CONTEXTS / CONNECTIONS; j++) {
                    contexts.add(device.openContext(next++));
                }
                for (int j = 0; j < REGIONS; j++) {
                    device.openRegion(REGION_BYTES);
                }
            } catch (final IOException | RuntimeException e) {
                // Its share is used up, which is its purpose.
                refused++;
            }
        }
        System.out.println(
                "{\"devices\":%d,\"contexts\":%d,\"refused\":%d}"
                        .formatted(devices.size(), contexts.size(), refused));
        int turn = 0;
        while (true) {
            for (final PmContext context : contexts) {
                flood(context, turn++ % nodes);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static void flood(final PmContext context, final int node) {
        for (int i = 0; i < BURST; i++) {
            final int slot = context.claim(node, context.contextId(), LENGTH_BYTES);
            if (slot < 0 || context.send(slot, LENGTH_BYTES, 0) != PmStatus.OK) {
                return;
            }
        }
    }
}
