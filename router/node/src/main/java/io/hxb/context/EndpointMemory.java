package io.hxb.context;

import io.hxb.link.BufferPool;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory and the descriptors that the node and an application share for one context. Any
 * thread; it is given back when its last user has finished.
 */
final class EndpointMemory {
    private final AttachedProcess attachedProcess;
    private final LentMemory control;
    private final LentMemory sendPool;
    private final LentMemory receiveMemory;
    private final BufferPool receivePool;
    private LentMemory remoteMemory;
    private final int signal;
    private final int wakeApplication;
    private final int wakeNode;
    private final int sendSlots;
    private final int sendBufferBytes;
    private final int deliveryEntries;
    private final AtomicInteger users;

    private EndpointMemory(
            final AttachedProcess attachedProcess,
            final ContextRequest sizes,
            final LentMemory control,
            final LentMemory sendPool,
            final LentMemory receiveMemory,
            final int receiveBufferBytes)
            throws LinuxException {
        // The node, and an application in this process.
        users = new AtomicInteger(attachedProcess.isLocal() ? 2 : 1);
        this.attachedProcess = attachedProcess;
        this.control = control;
        this.sendPool = sendPool;
        this.receiveMemory = receiveMemory;
        receivePool =
                receiveMemory == null
                        ? null
                        : new BufferPool(
                                receiveMemory.address(),
                                (int) (receiveMemory.lengthBytes() / receiveBufferBytes),
                                receiveBufferBytes);
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
     * @param ids of the control memory, of the send pool, and of the receive pool if it has its
     *     own.
     * @throws PmException if it is not as it has to be; the message gives the reason.
     */
    static EndpointMemory of(
            final AttachedProcess attachedProcess,
            final ContextParts parts,
            final NodeMemory node,
            final ContextRequest request,
            final int[] ids)
            throws PmException {
        if (!request.equals(parts.sizes(request))) {
            throw new PmException("the sizes of the context are not those that the node expects");
        }
        final int bufferBytes = node.pool().bufferBytes();
        final long ownBytes = (long) parts.ownBuffers() * bufferBytes;
        final List<LentMemory> taken = new ArrayList<>();
        try {
            taken.add(attachedProcess.takeOut(ids[0], request.controlBytes()));
            taken.add(attachedProcess.takeOut(ids[1], request.sendPoolBytes()));
            taken.add(ownBytes == 0 ? null : attachedProcess.takeOut(ids[2], ownBytes));
            return new EndpointMemory(
                    attachedProcess,
                    request,
                    taken.get(0),
                    taken.get(1),
                    taken.get(2),
                    bufferBytes);
        } catch (final PmException | LinuxException e) {
            throw giveBack(attachedProcess, taken, e);
        }
    }

    /** Makes memory for an application in this process, in the sizes that it asks for. */
    static EndpointMemory make(
            final AttachedProcess attachedProcess,
            final ContextParts parts,
            final ContextRequest request)
            throws PmException {
        final ContextRequest sizes = parts.sizes(request);
        final List<LentMemory> made = new ArrayList<>();
        try {
            made.add(attachedProcess.make(sizes.controlBytes(), AttachMessage.CONTEXT_MEMORY));
            made.add(attachedProcess.make(sizes.sendPoolBytes(), AttachMessage.CONTEXT_MEMORY));
            return new EndpointMemory(attachedProcess, sizes, made.get(0), made.get(1), null, 0);
        } catch (final PmException | LinuxException e) {
            throw giveBack(attachedProcess, made, e);
        }
    }

    private static PmException giveBack(
            final AttachedProcess attachedProcess,
            final List<LentMemory> memory,
            final Exception cause) {
        memory.stream().filter(Objects::nonNull).forEach(attachedProcess::giveBack);
        return new PmException("the node cannot open the context: " + cause.getMessage(), cause);
    }

    AttachedProcess application() {
        return attachedProcess;
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

    /** Adds the memory for remote memory, which is given back with the rest; the context's loop. */
    void add(final LentMemory memory) {
        remoteMemory = memory;
    }

    LentMemory control() {
        return control;
    }

    LentMemory sendPool() {
        return sendPool;
    }

    /** Receive buffers of its own; null if its messages stay in the node's pool. */
    BufferPool receivePool() {
        return receivePool;
    }

    /** The node's end of the SignalSocket by which it wakes the application. */
    int signal() {
        return signal;
    }

    /** The application's end of that socket. */
    int wakeApplication() {
        return wakeApplication;
    }

    /** Eventfd by which the application wakes the node. */
    int wakeNode() {
        return wakeNode;
    }

    /** Where the memory lies in this process, for an application within it. */
    Attachment.ContextMemory describe(
            final int contextId, final int loopIndex, final BufferPool pool) {
        return new Attachment.ContextMemory(
                contextId,
                control.address(),
                control.lengthBytes(),
                deliveryEntries,
                new Attachment.Buffers(sendPool.address(), sendSlots, sendBufferBytes),
                new Attachment.Buffers(pool.baseAddress(), pool.bufferCount(), pool.bufferBytes()),
                new Attachment.WakeUps(loopIndex, wakeApplication, wakeNode, true));
    }

    /**
     * Keeps the memory and descriptors until {@link #unuse}; false if they are given back already.
     */
    boolean use() {
        return users.getAndUpdate(count -> count > 0 ? count + 1 : 0) > 0;
    }

    /**
     * One of its users no longer touches the memory: the node, or an application in this process.
     * The last call gives it back; any thread, does not block.
     */
    void unuse() {
        if (users.decrementAndGet() > 0) {
            return;
        }
        attachedProcess.giveBack(control);
        attachedProcess.giveBack(sendPool);
        if (receiveMemory != null) {
            attachedProcess.giveBack(receiveMemory);
        }
        if (remoteMemory != null) {
            attachedProcess.giveBack(remoteMemory);
        }
        Descriptors.close(signal);
        Descriptors.close(wakeApplication);
        Descriptors.close(wakeNode);
    }
}
