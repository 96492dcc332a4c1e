package io.hxb.bench.message;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmMessageHandler;
import io.hxb.pm.PmStatus;

import java.io.IOException;

/** Messages over the PM API. Owned by one thread. */
final class PmTransport implements Transport {
    private static final long WAIT_NS = 20_000_000;

    private final PmDevice device;
    private final Runnable closing;
    private final PmContext context;
    private final int peerNode;
    private final int peerContext;
    private final boolean isSpinning;
    private final Contents contents;
    private final PmMessageHandler handler = this::onMessage;
    private final PmEvent event = new PmEvent();
    private Receiver to;
    private boolean isFull;

    /**
     * Opens a context.
     *
     * @param device what the context is opened on.
     * @param closing closes the device and what lies under it.
     * @param options its sizes; without spinning when the transport is to block.
     * @param contents what is done with those of messages.
     */
    PmTransport(
            final PmDevice device,
            final Runnable closing,
            final int contextId,
            final PmContextOptions options,
            final int peerNode,
            final int peerContext,
            final boolean isSpinning,
            final Contents contents)
            throws IOException {
        this.device = device;
        this.closing = closing;
        this.peerNode = peerNode;
        this.peerContext = peerContext;
        this.isSpinning = isSpinning;
        this.contents = contents;
        context = device.openContext(contextId, options);
    }

    @Override
    public boolean offer(final int sequence, final int lengthBytes) {
        final int slot = context.claim(peerNode, peerContext, lengthBytes);
        if (slot < 0) {
            check(slot);
            isFull = true;
            return false;
        }
        isFull = false;
        final long address = context.sendAddress(slot);
        contents.write(address);
        Memory.putInt(address, sequence);
        check(context.send(slot, lengthBytes, 0));
        return true;
    }

    @Override
    public int receive(final Receiver receiver, final int limit) {
        to = receiver;
        return Math.max(0, context.receive(handler, limit));
    }

    private void onMessage(final PmMessage message) {
        contents.read(message.address());
        to.onMessage(Memory.getInt(message.address()), message.lengthBytes());
    }

    @Override
    public void idle() {
        if (isSpinning && device.isInvoker()) {
            device.poll();
        } else {
            check(isFull ? context.awaitAny(WAIT_NS) : context.await(WAIT_NS));
        }
        if (context.pollEvent(event) == PmStatus.OK && event.status() != PmStatus.NO_SUCH_CONTEXT) {
            throw new IllegalStateException("the peer is lost: " + PmStatus.name(event.status()));
        }
    }

    private static void check(final int status) {
        if (status == PmStatus.CONTEXT_CLOSED || status == PmStatus.NODE_GONE) {
            throw new IllegalStateException("cannot continue: " + PmStatus.name(status));
        }
    }

    @Override
    public int unfinished() {
        return context.unfinishedSends();
    }

    @Override
    public void close() {
        context.close();
        closing.run();
    }
}
