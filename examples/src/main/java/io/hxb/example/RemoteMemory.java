package io.hxb.example;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmOutcome;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Two programs that use each other's memory: {@code RemoteMemory 1} on node 0 and {@code
 * RemoteMemory 0} on node 1.
 */
public final class RemoteMemory {
    private static final long SECOND_NS = 1_000_000_000L;

    private RemoteMemory() {}

    /** Runs it; the exit status is 0 when all operations are done. */
    public static void main(final String[] args) throws IOException {
        try (PmDevice device = PmDevice.attach();
                PmContext context = device.openContext(1)) {
            final int status = use(device, context, Integer.parseInt(args[0]));
            System.err.println(PmStatus.name(status));
            System.exit(status == PmStatus.OK ? 0 : 1);
        }
    }

    private static int use(final PmDevice device, final PmContext context, final int other)
            throws IOException {
        final long tag = 5;
        // begin
        final PmRemoteMemory memory = PmRemoteMemory.open(context);
        final PmRegion region = device.openWritableRegion(1 << 20);
        final long key = memory.share(region, PmAccess.READ | PmAccess.WRITE | PmAccess.ATOMIC);

        // Each sends the other its key in a message.
        final PmRemoteRegion theirs = new PmRemoteRegion(other, 1, exchange(context, other, key));
        memory.putAndNotify(region, 0, theirs, 4_096, 100_000, tag);
        memory.get(theirs, 0, region, 200_000, 100_000);
        memory.fetchAndAdd(theirs, 64, 1);
        int status = memory.finish(SECOND_NS); // the value before the addition remains
        final PmOutcome first = new PmOutcome();
        if (status == PmStatus.OK) {
            status = memory.poll(first);
        }
        // Or wait for one operation alone.
        final PmOutcome second = new PmOutcome();
        if (status == PmStatus.OK) {
            status = memory.fetchAndAdd(theirs, 64, 1, second, SECOND_NS);
        }
        // The other's put is notified here when all its bytes can be read.
        final PmNotification notification = new PmNotification();
        while (status == PmStatus.OK && memory.poll(notification) == PmStatus.EMPTY) {
            status = memory.await(10 * SECOND_NS);
        }
        // end
        System.out.println(
                "values " + first.value() + ", " + second.value() + ", tag " + notification.tag());
        exchange(context, other, 0); // the other has finished, too
        context.awaitAllSends(SECOND_NS);
        return status;
    }

    private static long exchange(final PmContext context, final int other, final long mine)
            throws IOException {
        final byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(mine).array();
        int status = context.send(other, 1, bytes, 0, SECOND_NS);
        final PmMessage message = new PmMessage();
        if (status == PmStatus.OK) {
            status = context.receive(message, 20 * SECOND_NS);
        }
        if (status != PmStatus.OK) {
            throw new IOException("no key has come: " + PmStatus.name(status));
        }
        message.buffer().getBytes(0, bytes);
        context.release(message);
        return ByteBuffer.wrap(bytes).getLong();
    }
}
