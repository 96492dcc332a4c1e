package io.hxb.context;

import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.attach.DirectOffer;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.RemoteMemoryArea;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Attaches an application in the node's own process: the same memory, without a socket. */
final class LocalAttachment implements Attachment {
    private final ContextParts parts;
    private final NodeMemory node;
    private final ContextOpener opener;
    private final NodeInvoker invoker;
    private final AttachedProcess attachedProcess;
    private final Map<Long, ContextEndpoint> opened = new ConcurrentHashMap<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    LocalAttachment(
            final ContextParts parts,
            final NodeMemory node,
            final ContextOpener opener,
            final AttachedProcess attachedProcess,
            final NodeInvoker invoker) {
        this.parts = parts;
        this.node = node;
        this.opener = opener;
        this.attachedProcess = attachedProcess;
        this.invoker = invoker;
        node.use();
    }

    @Override
    public long nodePageAddress() {
        return node.nodePage().address();
    }

    @Override
    public ContextMemory openContext(final int contextId, final ContextRequest request)
            throws PmException {
        final EndpointMemory memory = EndpointMemory.make(attachedProcess, parts, request);
        final ContextEndpoint endpoint =
                opener.open(memory, contextId, request.peerWaitNs(), invoker);
        opened.put(memory.control().address(), endpoint);
        return memory.describe(contextId, parts.loopIndex(contextId), node.pool());
    }

    @Override
    public void closeContext(final ContextMemory memory) {
        final ContextEndpoint endpoint = opened.remove(memory.controlAddress());
        if (endpoint != null) {
            // Otherwise it was vacated, and the context may be another's by now.
            if (!isClosed.get()) {
                opener.close(endpoint);
            }
            endpoint.memory().unuse();
        }
    }

    // The memory remains this process's until the context's thread closes it.
    @Override
    public void decommitContext(final ContextMemory memory) {
        final ContextEndpoint endpoint = opened.get(memory.controlAddress());
        if (endpoint != null) {
            opener.close(endpoint);
        }
    }

    @Override
    public RegionMemory openRegion(final long lengthBytes, final boolean isWritten)
            throws PmException {
        final int id = attachedProcess.openRegion(lengthBytes, isWritten);
        return new RegionMemory(id, attachedProcess.region(id).address(), lengthBytes);
    }

    @Override
    public RemoteMemoryArea openRemote(final int contextId, final RemoteRequest request)
            throws PmException {
        final ContextEndpoint endpoint = attachedProcess.context(contextId);
        if (endpoint == null) {
            throw new PmException("context " + contextId + " is not open");
        }
        final int mtuBytes = parts.mtuBytes();
        final LentMemory memory =
                attachedProcess.make(
                        request.area(0, mtuBytes).lengthBytes(), AttachMessage.CONTEXT_MEMORY);
        final long address = memory.address();
        opener.openRemote(endpoint, request, memory, invoker);
        return request.area(address, mtuBytes);
    }

    @Override
    public long share(final int regionId, final int rights) throws PmException {
        return attachedProcess.share(regionId, rights);
    }

    @Override
    public void revoke(final long key) throws PmException {
        attachedProcess.revoke(key);
    }

    @Override
    public void closeRegion(final RegionMemory memory) {
        attachedProcess.takeBack(memory.id());
    }

    // An application in the node's process runs on the node's threads, or asks them for everything.
    @Override
    public int directBytes() {
        return 0;
    }

    @Override
    public DirectOffer offerDirect(
            final int contextId, final int peerContext, final long id0, final long id1) {
        return null;
    }

    @Override
    public DirectChange nextDirectChange(final int contextId) {
        return DirectChange.NOTHING;
    }

    @Override
    public boolean isNodeAlive() {
        return node.page().state() == NodePage.ALIVE;
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public NodeInvoker invoker() {
        return invoker;
    }

    @Override
    public void close() {
        if (!isClosed.getAndSet(true)) {
            opener.detach(attachedProcess);
            node.unuse();
        }
    }
}
