package io.hxb.context;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory and the descriptors that the node and an application share for one context. Any
 * thread; the last of its users has it given back.
 */
final class EndpointMemory {
    private final Application application;
    private final LentMemory control;
    private final LentMemory sendPool;
    private final int signal;
    private final int wakeApplication;
    private final int wakeNode;
    private final int sendSlots;
    private final int sendBufferBytes;
    private final int deliveryEntries;
    private final AtomicInteger users;

    private EndpointMemory(
            final Application application,
            final ContextRequest sizes,
            final LentMemory control,
            final LentMemory sendPool)
            throws LinuxException {
        // The node, and an application in this process.
        users = new AtomicInteger(application.isLocal() ? 2 : 1);
        this.application = application;
        this.control = control;
        this.sendPool = sendPool;
        sendSlots = sizes.sendBuffers();
        sendBufferBytes = sizes.sendBufferBytes();
        deliveryEntries = sizes.deliveryEntries();
        final int[] pair = SignalSocket.pair();
        signal = pair[0];
        wakeApplication = pair[1];
        try {
            wakeNode = EventFd.create();
        } catch (final LinuxException e) {
            Descriptors.close(signal);
            Descriptors.close(wakeApplication);
            throw e;
        }
    }

    /**
     * Takes memory that an application of another process has lent.
     *
     * @param request what the application asks for, in the sizes that it really gets.
     * @param controlId id of the control memory.
     * @param sendPoolId id of the send pool.
     * @throws PmException in words, if it is not as it has to be.
     */
    static EndpointMemory of(
            final Application application,
            final ContextParts parts,
            final ContextRequest request,
            final int controlId,
            final int sendPoolId)
            throws PmException {
        if (!request.equals(parts.sizes(request))) {
            throw new PmException("the sizes of a context are not such as the node needs");
        }
        final LentMemory control = application.takeOut(controlId, request.controlBytes());
        return of(application, request, control, sendPoolId);
    }

    private static EndpointMemory of(
            final Application application,
            final ContextRequest sizes,
            final LentMemory control,
            final int sendPoolId)
            throws PmException {
        LentMemory sendPool = null;
        try {
            sendPool = application.takeOut(sendPoolId, sizes.sendPoolBytes());
            return new EndpointMemory(application, sizes, control, sendPool);
        } catch (final PmException | LinuxException e) {
            throw giveBack(application, control, sendPool, e);
        }
    }

    /** Makes memory for an application in this process, in the sizes that it asks for. */
    static EndpointMemory make(
            final Application application, final ContextParts parts, final ContextRequest request)
            throws PmException {
        final ContextRequest sizes = parts.sizes(request);
        final LentMemory control = application.make(sizes.controlBytes(), true);
        LentMemory sendPool = null;
        try {
            sendPool = application.make(sizes.sendPoolBytes(), true);
            return new EndpointMemory(application, sizes, control, sendPool);
        } catch (final PmException | LinuxException e) {
            throw giveBack(application, control, sendPool, e);
        }
    }

    private static PmException giveBack(
            final Application application,
            final LentMemory control,
            final LentMemory sendPool,
            final Exception cause) {
        application.giveBack(control);
        if (sendPool != null) {
            application.giveBack(sendPool);
        }
        return new PmException("the node cannot open the context: " + cause.getMessage(), cause);
    }

    Application application() {
        return application;
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

    LentMemory control() {
        return control;
    }

    LentMemory sendPool() {
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
     * One of its users touches the memory no more: the node, or an application in this process. The
     * last one's call has it given back; any thread, does not block.
     */
    void unuse() {
        if (users.decrementAndGet() > 0) {
            return;
        }
        application.giveBack(control);
        application.giveBack(sendPool);
        Descriptors.close(signal);
        Descriptors.close(wakeApplication);
        Descriptors.close(wakeNode);
    }
}
