package io.hxb.bench.soak;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Attaches to the node that {@code HXB_SOCKET} names, lends it that many GiB in regions of 1 GiB,
 * sends all of it to itself, so that the node has read every page, and waits to be killed.
 */
public final class MemoryHolder {
    private static final long REGION_BYTES = 1L << 30;
    private static final int CONTEXT = 5;

    private MemoryHolder() {}

    /** The argument is the number of GiB. */
    public static void main(final String[] arguments) throws IOException {
        final int gibibytes = Integer.parseInt(arguments[0]);
        final List<PmRegion> regions = new ArrayList<>();
        try (PmDevice device = PmDevice.attach();
                PmContext context = device.openContext(CONTEXT)) {
            for (int i = 0; i < gibibytes; i++) {
                final long startNs = System.nanoTime();
                regions.add(device.openRegion(REGION_BYTES));
                final long openedNs = System.nanoTime();
                sendAll(context, device.nodeId(), regions.getLast());
                System.out.printf(
                        "GiB %d: lent in %d ms, sent in %d ms%n",
                        i + 1,
                        (openedNs - startNs) / 1_000_000,
                        (System.nanoTime() - openedNs) / 1_000_000);
            }
            System.out.println("ready: kill -9 " + ProcessHandle.current().pid());
            while (device.isNodeAlive()) {
                LockSupport.parkNanos(100_000_000L);
            }
        }
    }

    private static void sendAll(final PmContext context, final int node, final PmRegion region)
            throws IOException {
        final PmMessage message = new PmMessage();
        final int maxBytes = context.maxLengthBytes();
        long offset = 0;
        while (offset < REGION_BYTES || context.unfinishedSends() > 0) {
            final int slot =
                    offset < REGION_BYTES ? context.claim(node, CONTEXT, 0) : PmStatus.NO_BUFFERS;
            if (slot >= 0) {
                final int length = (int) Math.min(maxBytes, REGION_BYTES - offset);
                context.sendFrom(slot, region, offset, length, 0);
                offset += length;
            } else if (slot != PmStatus.NO_BUFFERS) {
                throw new IOException("cannot send: " + PmStatus.name(slot));
            }
            while (context.receive(message) == PmStatus.OK) {
                context.release(message);
            }
            if (slot < 0) {
                context.await(1_000_000L);
            }
        }
    }
}
