package io.hxb.tool.measure;

import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.node.service.StreamCheck;
import io.hxb.node.service.StreamCounts;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmStatus;

import org.agrona.collections.Long2ObjectHashMap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Takes measured messages longer than a node takes as one, and checks them where their fragments
 * lie; otherwise as {@link FrameReceiver}. Owned by one thread.
 */
final class LongReceiver implements PerfReceiver.Half, PmLargeHandler {
    /** Replies that may be on their way; an older one has long arrived. */
    private static final int REPLIES = 256;

    private final PmContext context;
    private final StreamCounts streams;
    private final PmLargeMessages messages;
    private final Long2ObjectHashMap<Incoming> incoming = new Long2ObjectHashMap<>();
    private final MemorySegment replies =
            Arena.ofAuto().allocate((long) REPLIES * ServiceProtocol.REPLY_BYTES, Long.BYTES);
    private int nextReply;

    /** The message that a source is sending. */
    private static final class Incoming {
        private final boolean isWhole;
        private int sequence;
        private boolean isIntact = true;

        /** Makes one of which the sender has written all, or only the number. */
        Incoming(final boolean isWhole) {
            this.isWhole = isWhole;
        }
    }

    LongReceiver(final PmContext context, final StreamCounts streams) {
        this.context = context;
        this.streams = streams;
        messages = new PmLargeMessages(context, this, PmLargeMessages.Limits.DEFAULT);
    }

    @Override
    public PmContext context() {
        return context;
    }

    @Override
    public int poll() {
        return messages.poll();
    }

    @Override
    public void await(final long timeoutNs) {
        messages.await(timeoutNs);
    }

    @Override
    public MemorySegment onStart(
            final int sourceNode, final int sourceContext, final long lengthBytes, final int tag) {
        if (isData(tag)) {
            incoming.put(
                    key(sourceNode, sourceContext), new Incoming(tag == ServiceProtocol.COUNT));
            // In place.
            return null;
        }
        return lengthBytes == 0 ? MemorySegment.NULL : PmLargeMessages.REJECT;
    }

    private static boolean isData(final int tag) {
        return tag == ServiceProtocol.COUNT || tag == ServiceProtocol.COUNT_NUMBER;
    }

    @Override
    public void onFragment(
            final int sourceNode,
            final int sourceContext,
            final long offset,
            final long address,
            final int lengthBytes) {
        final Incoming message = incoming.get(key(sourceNode, sourceContext));
        if (offset == 0) {
            message.sequence = MessagePattern.sequence(address, lengthBytes);
        }
        message.isIntact &=
                !message.isWhole
                        || MessagePattern.isIntact(
                                address, (int) offset, lengthBytes, message.sequence);
    }

    @Override
    public void onEnd(
            final int sourceNode,
            final int sourceContext,
            final long lengthBytes,
            final int tag,
            final MemorySegment target,
            final int status) {
        if (isData(tag)) {
            final StreamCheck stream = streams.of(sourceNode, sourceContext);
            final Incoming message = incoming.remove(key(sourceNode, sourceContext));
            if (status == PmStatus.OK && stream != null && lengthBytes > 0) {
                stream.onMessage(message.sequence, (int) lengthBytes, message.isIntact);
            }
        } else if (status == PmStatus.OK) {
            reply(sourceNode, sourceContext, tag);
        }
    }

    private void reply(final int sourceNode, final int sourceContext, final int tag) {
        if (tag == ServiceProtocol.COUNT_RESET) {
            streams.reset(sourceNode, sourceContext);
        } else if (tag != ServiceProtocol.COUNT_REPORT) {
            return;
        }
        final MemorySegment reply =
                replies.asSlice(
                        (long) nextReply * ServiceProtocol.REPLY_BYTES,
                        ServiceProtocol.REPLY_BYTES);
        nextReply = (nextReply + 1) % REPLIES;
        streams.write(reply.address(), sourceNode, sourceContext, System.nanoTime());
        // With so many on their way that there is no room, the requester will report silence.
        messages.send(sourceNode, sourceContext, reply, ServiceProtocol.COUNT_REPLY);
    }

    private static long key(final int sourceNode, final int sourceContext) {
        return (long) sourceNode << 32 | sourceContext;
    }
}
