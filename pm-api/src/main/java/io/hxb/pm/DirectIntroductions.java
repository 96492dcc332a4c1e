package io.hxb.pm;

import io.hxb.linux.AddressRange;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.ProcessBarrier;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.attach.DirectOffer;
import io.hxb.pm.shm.DirectPage;

import java.util.HashMap;
import java.util.Map;

/**
 * Has the node introduce contexts of this process to others of the node, so that they send to each
 * other by rings of their own. Never waits for an answer. Thread-safe.
 */
final class DirectIntroductions implements AutoCloseable {
    private static final int DESCRIPTORS = 3;

    private final NodeRequests requests;
    private final int maxBytes;

    /** For the next change of the rings of a context, by its id. */
    private final Map<Integer, NodeRequests.Asked> changes = new HashMap<>();

    private boolean isClosed;

    /**
     * Makes the introductions of an attachment.
     *
     * @param maxBytes longest ring, in bytes; 0 if the node introduces nobody.
     */
    DirectIntroductions(final NodeRequests requests, final int maxBytes) {
        this.requests = requests;
        // Records begin a page of the kernel's, which may be larger than a short ring.
        this.maxBytes = AddressRange.pages(maxBytes) == maxBytes ? maxBytes : 0;
    }

    /** Longest ring in bytes; 0 if there are none. */
    int maxBytes() {
        return maxBytes;
    }

    /** Offers a ring, as {@link io.hxb.pm.attach.Attachment#offerDirect}. */
    DirectOffer offer(final int contextId, final int peerContext, final long id0, final long id1) {
        final int[] descriptors = new int[2];
        DirectMemory memory = null;
        try {
            memory = DirectMemory.make(maxBytes, descriptors);
            new DirectPage(memory.pageAddress())
                    .initialize(id0, id1, ProcessBarrier.isRegistered());
            return new SentOffer(memory, sendOffer(contextId, peerContext, descriptors));
        } catch (final PmException | LinuxException e) {
            // Without a ring messages go through the node.
            if (memory != null) {
                memory.close();
            }
            return null;
        } finally {
            if (memory != null) {
                Descriptors.close(descriptors[0]);
                Descriptors.close(descriptors[1]);
            }
        }
    }

    private synchronized NodeRequests.Asked sendOffer(
            final int contextId, final int peerContext, final int[] descriptors)
            throws PmException {
        if (isClosed) {
            throw new PmException("the device is closed");
        }
        return requests.ask(
                requests.request(AttachMessage.OFFER_DIRECT, contextId, peerContext), descriptors);
    }

    /** A ring that was offered. */
    private record SentOffer(DirectMemory memory, NodeRequests.Asked asked) implements DirectOffer {
        @Override
        public State state() {
            if (!asked.isOver()) {
                return State.OPEN;
            }
            if (memory.peerSignal() >= 0) {
                return State.TAKEN;
            }
            try {
                final long number = asked.answer().argument(0);
                if (asked.descriptorCount() != 1) {
                    asked.closeDescriptors();
                    return State.REFUSED;
                }
                memory.peerSignal(asked.descriptor(0)).number(number);
                return State.TAKEN;
            } catch (final PmException e) {
                return State.REFUSED;
            }
        }

        @Override
        public void forget() {
            asked.forget();
        }
    }

    /** The next change, as {@link io.hxb.pm.attach.Attachment#nextDirectChange}. */
    DirectChange next(final int contextId) {
        final NodeRequests.Asked asked;
        synchronized (this) {
            if (isClosed) {
                return DirectChange.NOTHING;
            }
            asked = changes.computeIfAbsent(contextId, this::askForChange);
            if (asked == null || !asked.isOver()) {
                return null;
            }
            changes.remove(contextId);
        }
        try {
            final AttachMessage answer = asked.answer();
            final int kind = (int) answer.argument(0);
            final DirectMemory memory =
                    kind == DirectChange.OFFERED ? map(asked, answer.argument(2)) : null;
            return new DirectChange(kind, (int) answer.argument(1), answer.argument(3), memory);
        } catch (final PmException e) {
            return DirectChange.NOTHING;
        }
    }

    /** Null if the node takes no requests now. */
    private NodeRequests.Asked askForChange(final int contextId) {
        try {
            return requests.ask(requests.request(AttachMessage.DIRECT_CHANGE, contextId));
        } catch (final PmException e) {
            return null;
        }
    }

    /** Maps the ring whose descriptors have come; null if it cannot be. */
    private DirectMemory map(final NodeRequests.Asked asked, final long capacityBytes) {
        if (asked.descriptorCount() != DESCRIPTORS
                || capacityBytes < AddressRange.PAGE_BYTES
                || capacityBytes > maxBytes
                || Long.bitCount(capacityBytes) != 1) {
            asked.closeDescriptors();
            return null;
        }
        final int records = asked.descriptor(0);
        final int page = asked.descriptor(1);
        final int signal = asked.descriptor(2);
        try {
            return DirectMemory.map((int) capacityBytes, records, page, signal);
        } catch (final LinuxException e) {
            Descriptors.close(signal);
            return null;
        } finally {
            Descriptors.close(records);
            Descriptors.close(page);
        }
    }

    /** A context is closed: nobody wants its next change. */
    void forget(final int contextId) {
        final NodeRequests.Asked change;
        synchronized (this) {
            change = changes.remove(contextId);
        }
        if (change != null) {
            change.forget();
        }
    }

    /** Asks for nothing any more; called before the requests are closed. */
    @Override
    public synchronized void close() {
        isClosed = true;
    }
}
