package io.hxb.context;

import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.shm.ControlMemory;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory and the descriptors that the node and an application share for one context. Any
 * thread; the last of its users unmaps it.
 */
final class EndpointMemory {
    private final SharedMemory control;
    private final SharedMemory sendPool;
    private final int signal;
    private final int wakeApplication;
    private final int wakeNode;
    private final int sendSlots;
    private final int sendBufferBytes;
    private final int deliveryEntries;
    private final AtomicInteger users;

    /**
     * Takes the memory.
     *
     * @param users who unmap it: the node, and an application in this process.
     */
    EndpointMemory(final ContextParts parts, final ContextRequest request, final int users)
            throws LinuxException {
        this.users = new AtomicInteger(users);
        sendSlots = request.sendBuffers();
        sendBufferBytes = sendBufferBytes(parts, request);
        deliveryEntries = deliveryEntries(parts, request);
        control =
                SharedMemory.create(
                        "hxb-control", ControlMemory.lengthBytes(sendSlots, deliveryEntries));
        SharedMemory pool = null;
        int[] pair = {-1, -1};
        try {
            pool = SharedMemory.create("hxb-send", (long) sendSlots * sendBufferBytes);
            pair = SignalSocket.pair();
            wakeNode = EventFd.create();
        } catch (final LinuxException e) {
            control.close();
            if (pool != null) {
                pool.close();
            }
            if (pair[0] >= 0) {
                Descriptors.close(pair[0]);
                Descriptors.close(pair[1]);
            }
            throw e;
        }
        sendPool = pool;
        signal = pair[0];
        wakeApplication = pair[1];
        final int seals =
                SharedMemory.SEAL_SHRINK | SharedMemory.SEAL_GROW | SharedMemory.SEAL_SEALS;
        control.seal(seals);
        sendPool.seal(seals);
    }

    private static int sendBufferBytes(final ContextParts parts, final ContextRequest request) {
        return request.sendBufferBytes() > 0
                ? request.sendBufferBytes()
                : (parts.mtuBytes() + 63) & -64;
    }

    // A full frame of the smallest messages has to fit, else it could never be delivered.
    private static int deliveryEntries(final ContextParts parts, final ContextRequest request) {
        final int bodyBytes = parts.mtuBytes() + MessageRecordFlyweight.LENGTH;
        final int most = bodyBytes / MessageRecordFlyweight.LENGTH;
        return Math.max(request.deliveryEntries(), Integer.highestOneBit(most) << 1);
    }

    /** Shared memory that a context takes. */
    static long lengthBytes(final ContextParts parts, final ContextRequest request) {
        return (long) request.sendBuffers() * sendBufferBytes(parts, request)
                + ControlMemory.lengthBytes(request.sendBuffers(), deliveryEntries(parts, request));
    }

    long lengthBytes() {
        return sendPool.lengthBytes() + control.lengthBytes();
    }

    int sendSlots() {
        return sendSlots;
    }

    int sendBufferBytes() {
        return sendBufferBytes;
    }

    int deliveryEntries() {
        return deliveryEntries;
    }

    SharedMemory control() {
        return control;
    }

    SharedMemory sendPool() {
        return sendPool;
    }

    /** The node's end of the SignalSocket by which it wakes the application. */
    int signal() {
        return signal;
    }

    /** The application's end of that. */
    int wakeApplication() {
        return wakeApplication;
    }

    /** Eventfd by which the application wakes the node. */
    int wakeNode() {
        return wakeNode;
    }

    /** Where the memory lies in this process, for an application within it. */
    Attachment.ContextMemory describe(final int contextId, final int loop) {
        return new Attachment.ContextMemory(
                contextId,
                control.address(),
                control.lengthBytes(),
                sendPool.address(),
                sendSlots,
                sendBufferBytes,
                deliveryEntries,
                loop,
                wakeApplication,
                wakeNode);
    }

    /**
     * One of its users touches the memory no more: the node, or an application in this process.
     * Unmaps it when it was the last; any thread.
     */
    void unmap() {
        if (users.decrementAndGet() > 0) {
            return;
        }
        control.close();
        sendPool.close();
        Descriptors.close(signal);
        Descriptors.close(wakeApplication);
        Descriptors.close(wakeNode);
    }
}
