package io.hxb.bench.message;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Messages longer than a frame over the PM API, sent from a region. Owned by one thread. */
final class LargeTransport implements Transport, PmLargeHandler {
    private static final long WAIT_NS = 20_000_000;
    private static final int AT_ONCE = 16;

    private final PmDevice device;
    private final Runnable closing;
    private final PmContext context;
    private final PmLargeMessages large;
    private final PmRegion region;
    private final MemorySegment target;
    private final int peerNode;
    private final int peerContext;
    private final boolean isSpinning;
    private final long[] transfers = new long[AT_ONCE];
    private final PmEvent event = new PmEvent();
    private Receiver receiver = (sequence, lengthBytes) -> {};
    private int next;
    private int received;

    /**
     * Opens a context.
     *
     * @param device what the context is opened on.
     * @param closing closes the device and what lies under it.
     * @param sizeBytes bytes of a message.
     */
    LargeTransport(
            final PmDevice device,
            final Runnable closing,
            final int contextId,
            final PmContextOptions options,
            final int peerNode,
            final int peerContext,
            final int sizeBytes,
            final boolean isSpinning)
            throws IOException {
        this.device = device;
        this.closing = closing;
        this.peerNode = peerNode;
        this.peerContext = peerContext;
        this.isSpinning = isSpinning;
        context = device.openContext(contextId, options);
        region = device.openRegion((long) AT_ONCE * sizeBytes);
        target = Arena.global().allocate(sizeBytes, Long.BYTES);
        large = new PmLargeMessages(context, this, PmLargeMessages.Limits.DEFAULT);
        Arrays.fill(transfers, -1);
    }

    @Override
    public boolean offer(final int sequence, final int lengthBytes) {
        if (transfers[next] >= 0) {
            large.poll();
            if (!large.isSent(transfers[next])) {
                return false;
            }
        }
        final long offset = (long) next * lengthBytes;
        Memory.putInt(region.address() + offset, sequence);
        final long transfer = large.send(peerNode, peerContext, region, offset, lengthBytes, 0);
        if (transfer < 0) {
            check((int) transfer);
            return false;
        }
        transfers[next] = transfer;
        next = next + 1 < AT_ONCE ? next + 1 : 0;
        return true;
    }

    @Override
    public int receive(final Receiver to, final int limit) {
        receiver = to;
        received = 0;
        check(large.poll());
        return received;
    }

    @Override
    public MemorySegment onStart(
            final int sourceNode, final int sourceContext, final long lengthBytes, final int tag) {
        return target;
    }

    @Override
    public void onEnd(
            final int sourceNode,
            final int sourceContext,
            final long lengthBytes,
            final int tag,
            final MemorySegment whole,
            final int status) {
        check(status);
        received++;
        receiver.onMessage(Memory.getInt(target.address()), (int) lengthBytes);
    }

    @Override
    public void idle() {
        if (isSpinning && device.isInvoker()) {
            device.poll();
        } else {
            check(large.await(WAIT_NS));
        }
        check(large.poll());
        if (context.pollEvent(event) == PmStatus.OK && event.status() != PmStatus.NO_SUCH_CONTEXT) {
            throw new IllegalStateException("the peer is lost: " + PmStatus.name(event.status()));
        }
    }

    private static void check(final int status) {
        if (status == PmStatus.CONTEXT_CLOSED
                || status == PmStatus.NODE_GONE
                || status == PmStatus.PEER_UNREACHABLE) {
            throw new IllegalStateException("cannot continue: " + PmStatus.name(status));
        }
    }

    @Override
    public int unfinished() {
        return large.unfinishedTransfers();
    }

    @Override
    public void close() {
        context.close();
        closing.run();
    }
}
