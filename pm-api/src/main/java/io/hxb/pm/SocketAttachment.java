package io.hxb.pm;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.attach.DirectOffer;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.RemoteMemoryArea;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Attaches over the node's Unix socket. The connection lasts as long as the attachment, so that
 * each side notices the end of the other. Thread-safe.
 */
final class SocketAttachment implements Attachment {
    private static final long REPLY_TIMEOUT_MS = 5_000;
    private static final int POLL_GONE = PollSet.GONE & ~0x2000;

    private final UnixSocket socket;
    private final Path path;
    private final NodeRequests requests;
    private final Greeting greeting;
    private final NodeMemory nodeMemory;
    private final MemoryLender lender;
    private final DirectIntroductions introductions;
    private final Map<Integer, List<LendableMemory>> contextMemory = new HashMap<>();
    private final Map<Integer, LendableMemory> regionMemory = new HashMap<>();
    private volatile boolean isClosed;

    private SocketAttachment(
            final UnixSocket socket,
            final Path path,
            final NodeRequests requests,
            final long timeoutMs)
            throws PmException, LinuxException {
        this.socket = socket;
        this.path = path;
        this.requests = requests;
        final NodeRequests.Asked hello = requests.greet();
        greeting = Greeting.of(hello.answer());
        if (greeting.ownBuffers > 0) {
            hello.expectDescriptors(1);
            nodeMemory = NodeMemory.map(hello.descriptor(0));
        } else {
            hello.expectDescriptors(2);
            nodeMemory =
                    NodeMemory.map(
                            hello.descriptor(0), hello.descriptor(1), greeting.receivePoolBytes);
        }
        lender = new MemoryLender(requests, timeoutMs);
        introductions = new DirectIntroductions(requests, greeting.directBytes);
    }

    /**
     * What the node has answered to HELLO.
     *
     * @param receivePoolBytes of the node's receive buffers, if it shows them.
     * @param minDeliveryEntries fewest entries of a context's delivery ring.
     * @param ownBuffers receive buffers that a context has of its own; 0 if it uses the node's.
     * @param directBytes longest ring between contexts; 0 if there are none.
     * @param hasRemoteMemory whether remote memory is known.
     * @param hasWords whether threads are woken on words of memory.
     */
    private record Greeting(
            long receivePoolBytes,
            int minDeliveryEntries,
            int ownBuffers,
            int directBytes,
            boolean hasRemoteMemory,
            boolean hasWords) {
        static Greeting of(final AttachMessage reply) {
            return new Greeting(
                    reply.argument(0),
                    Math.toIntExact(reply.argument(1)),
                    Math.toIntExact(reply.argument(2)),
                    reply.hasDirectRings() ? Math.toIntExact(reply.argument(3)) : 0,
                    reply.knowsRemoteMemory(),
                    reply.supportsFutexWords());
        }
    }

    static Attachment connect(final Path path) throws PmException {
        return connect(path, REPLY_TIMEOUT_MS);
    }

    /**
     * Attaches to a node.
     *
     * @param timeoutMs how long to wait for an answer of the node's, whatever it is asked for.
     */
    static Attachment connect(final Path path, final long timeoutMs) throws PmException {
        final UnixSocket socket = open(path, timeoutMs);
        final NodeRequests requests = new NodeRequests(socket, path, timeoutMs);
        try {
            return new SocketAttachment(socket, path, requests, timeoutMs);
        } catch (final LinuxException e) {
            requests.close();
            throw new PmException(
                    "cannot attach to the node on " + path + ": " + e.getMessage(), e);
        } catch (final PmException e) {
            requests.close();
            throw e;
        }
    }

    private static UnixSocket open(final Path path, final long timeoutMs) throws PmException {
        try {
            return UnixSocket.connect(path, timeoutMs);
        } catch (final LinuxException e) {
            throw switch (e.errno()) {
                case Errno.ENOENT, Errno.ECONNREFUSED ->
                        PmException.nodeMissing(
                                "no node listens on " + path + ": start one with hxb node", e);
                case Errno.EACCES -> new PmException(AttachRefusal.describe(path), e);
                case Errno.EAGAIN ->
                        new PmException(
                                "the node on "
                                        + path
                                        + " accepts no connections, for "
                                        + timeoutMs
                                        + " ms: it is stopped or overloaded",
                                e);
                default -> new PmException("cannot connect to " + path + ": " + e.getMessage(), e);
            };
        }
    }

    @Override
    public ContextMemory openContext(final int contextId, final ContextRequest request)
            throws PmException {
        final List<LendableMemory> lent = new ArrayList<>();
        synchronized (this) {
            checkOpen();
            if (contextMemory.putIfAbsent(contextId, lent) != null) {
                throw new PmException("context " + contextId + " is in use by this device");
            }
        }
        try {
            return openContext(contextId, request, lent);
        } catch (final PmException e) {
            synchronized (this) {
                contextMemory.remove(contextId);
            }
            lent.forEach(lender::takeBack);
            throw e;
        }
    }

    private ContextMemory openContext(
            final int contextId, final ContextRequest request, final List<LendableMemory> lent)
            throws PmException {
        final NodePage.Facts facts = nodeMemory.facts();
        final ContextRequest sizes =
                request.resolved(facts.mtuBytes(), greeting.minDeliveryEntries);
        final int ownBuffers = greeting.ownBuffers;
        lent.add(lender.lend("hxb-control", sizes.controlBytes(), AttachMessage.CONTEXT_MEMORY));
        lent.add(lender.lend("hxb-send", sizes.sendPoolBytes(), AttachMessage.CONTEXT_MEMORY));
        if (ownBuffers > 0) {
            final long ownBytes = (long) ownBuffers * facts.receiveBufferBytes();
            lent.add(lender.lend("hxb-own-receive", ownBytes, AttachMessage.CONTEXT_MEMORY));
        }
        final NodeRequests.Asked granted = askForContext(contextId, sizes, lent);
        final LendableMemory control = lent.get(0);
        return new ContextMemory(
                contextId,
                control.address(),
                control.lengthBytes(),
                sizes.deliveryEntries(),
                new Buffers(lent.get(1).address(), sizes.sendBuffers(), sizes.sendBufferBytes()),
                ownBuffers > 0
                        ? new Buffers(lent.get(2).address(), ownBuffers, facts.receiveBufferBytes())
                        : nodeMemory.receiveBuffers(),
                new WakeUps(
                        (int) granted.answer().argument(0),
                        granted.descriptor(0),
                        granted.descriptor(1),
                        greeting.hasWords));
    }

    private NodeRequests.Asked askForContext(
            final int contextId, final ContextRequest sizes, final List<LendableMemory> lent)
            throws PmException {
        final NodeRequests.Asked asked =
                requests.ask(
                        requests.request(
                                AttachMessage.OPEN_CONTEXT,
                                contextId,
                                sizes.sendBuffers(),
                                sizes.sendBufferBytes(),
                                sizes.deliveryEntries(),
                                sizes.peerWaitNs(),
                                lent.get(0).id(),
                                lent.get(1).id(),
                                greeting.ownBuffers > 0 ? lent.get(2).id() : 0));
        try {
            asked.await();
            asked.expectDescriptors(2);
            return asked;
        } catch (final PmException e) {
            if (!asked.isOver()) {
                // The node may open it later.
                requests.send(AttachMessage.CLOSE_CONTEXT, contextId);
            }
            throw e;
        }
    }

    @Override
    public void closeContext(final ContextMemory memory) {
        final List<LendableMemory> lent;
        synchronized (this) {
            lent = contextMemory.get(memory.contextId());
        }
        if (lent == null) {
            return;
        }
        introductions.forget(memory.contextId());
        lent.forEach(LendableMemory::close);
        Descriptors.close(memory.wakeUps().application());
        Descriptors.close(memory.wakeUps().node());
        requests.send(AttachMessage.CLOSE_CONTEXT, memory.contextId());
        lender.onTakenBack(lent);
        synchronized (this) {
            contextMemory.remove(memory.contextId());
            if (isClosed && contextMemory.isEmpty()) {
                nodeMemory.close();
            }
        }
    }

    @Override
    public void decommitContext(final ContextMemory memory) {
        synchronized (this) {
            final List<LendableMemory> lent = contextMemory.get(memory.contextId());
            if (lent == null) {
                return;
            }
            lent.forEach(LendableMemory::decommit);
        }
        requests.send(AttachMessage.CLOSE_CONTEXT, memory.contextId());
    }

    @Override
    public RegionMemory openRegion(final long lengthBytes, final boolean isWritten)
            throws PmException {
        if (isWritten) {
            checkRemoteMemory();
        }
        final LendableMemory memory =
                lender.lend(
                        "hxb-region",
                        lengthBytes,
                        isWritten ? AttachMessage.WRITTEN_REGION : AttachMessage.READ_REGION);
        synchronized (this) {
            regionMemory.put(memory.id(), memory);
        }
        return new RegionMemory(memory.id(), memory.address(), lengthBytes);
    }

    @Override
    public void closeRegion(final RegionMemory memory) {
        final LendableMemory lent;
        synchronized (this) {
            lent = regionMemory.remove(memory.id());
        }
        if (lent != null) {
            lender.takeBack(lent);
        }
    }

    @Override
    public int directBytes() {
        return introductions.maxBytes();
    }

    @Override
    public DirectOffer offerDirect(
            final int contextId, final int peerContext, final long id0, final long id1) {
        return introductions.offer(contextId, peerContext, id0, id1);
    }

    @Override
    public DirectChange nextDirectChange(final int contextId) {
        return introductions.next(contextId);
    }

    private void checkRemoteMemory() throws PmException {
        if (!greeting.hasRemoteMemory) {
            throw new PmException("the node on " + path + " is of an HXB without remote memory");
        }
    }

    @Override
    public RemoteMemoryArea openRemote(final int contextId, final RemoteRequest request)
            throws PmException {
        checkRemoteMemory();
        final List<LendableMemory> ofContext;
        synchronized (this) {
            checkOpen();
            ofContext = contextMemory.get(contextId);
        }
        if (ofContext == null) {
            throw new PmException("context " + contextId + " is not open");
        }
        final int mtuBytes = nodeMemory.facts().mtuBytes();
        final long lengthBytes = request.area(0, mtuBytes).lengthBytes();
        final LendableMemory memory =
                lender.lend("hxb-remote", lengthBytes, AttachMessage.CONTEXT_MEMORY);
        try {
            requests.perform(
                    AttachMessage.OPEN_REMOTE,
                    contextId,
                    request.operations(),
                    request.notifications(),
                    request.fragments(),
                    memory.id());
        } catch (final PmException e) {
            lender.takeBack(memory);
            throw e;
        }
        synchronized (this) {
            ofContext.add(memory);
        }
        return request.area(memory.address(), mtuBytes);
    }

    @Override
    public long share(final int regionId, final int rights) throws PmException {
        checkRemoteMemory();
        return requests.perform(AttachMessage.SHARE, regionId, rights).argument(0);
    }

    @Override
    public void revoke(final long key) throws PmException {
        checkRemoteMemory();
        requests.perform(AttachMessage.REVOKE, key);
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the device is closed");
        }
    }

    // Answers that nobody waits for are no news of the node's end: they are taken here, too.
    @Override
    public boolean isNodeAlive() {
        if (isClosed) {
            return false;
        }
        requests.takeAnswers();
        return nodeMemory.isAlive()
                && (Descriptors.poll(socket.descriptor(), Descriptors.POLLIN, 0) & POLL_GONE) == 0;
    }

    @Override
    public long nodePageAddress() {
        return nodeMemory.pageAddress();
    }

    @Override
    public int descriptor() {
        return socket.descriptor();
    }

    @Override
    public NodeInvoker invoker() {
        return null;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        introductions.close();
        requests.close();
        synchronized (this) {
            regionMemory.values().forEach(LendableMemory::decommit);
            if (contextMemory.isEmpty()) {
                nodeMemory.close();
            } else {
                // Contexts that are vacated may still read it.
                nodeMemory.decommit();
            }
        }
    }
}
