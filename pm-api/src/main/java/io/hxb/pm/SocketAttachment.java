package io.hxb.pm;

import io.hxb.linux.AddressRange;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.linux.ProcessBarrier;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.RemoteMemoryArea;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Attaches over the node's Unix socket. The connection lasts as long as the attachment, so that
 * each side notices the end of the other. Thread-safe.
 */
final class SocketAttachment implements Attachment {
    private static final long REPLY_TIMEOUT_MS = 5_000;
    private static final long MS_NS = 1_000_000;
    private static final long RETRY_PAUSE_NS = 10_000_000L;
    private static final int DIRECT_DESCRIPTORS = 3;
    private static final int POLL_GONE = PollSet.GONE & ~0x2000;

    private final UnixSocket socket;
    private final Path path;
    private final long timeoutMs;
    private final AttachMessage message = new AttachMessage();
    private final PollSet replyPoll = new PollSet(1);
    private final BitSet memoryIds = new BitSet();
    private final Map<Integer, List<OwnMemory>> contextMemory = new HashMap<>();
    private final Map<Integer, OwnMemory> regionMemory = new HashMap<>();
    private SharedMemory nodePage;
    private SharedMemory receivePool;
    private int minDeliveryEntries;
    private int ownBuffers;
    private int directBytes;
    private int requests;
    private boolean hasRemoteMemory;
    private boolean hasWords;
    private boolean isUnanswered;
    private boolean isRefusedForNow;
    private boolean isBroken;
    private boolean isClosed;

    private SocketAttachment(final UnixSocket socket, final Path path, final long timeoutMs) {
        this.socket = socket;
        this.path = path;
        this.timeoutMs = timeoutMs;
        replyPoll.add(socket.descriptor());
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
        final SocketAttachment attachment =
                new SocketAttachment(open(path, timeoutMs), path, timeoutMs);
        try {
            attachment.hello();
            return attachment;
        } catch (final LinuxException e) {
            attachment.close();
            throw new PmException(
                    "cannot attach to the node on " + path + ": " + e.getMessage(), e);
        } catch (final PmException e) {
            attachment.close();
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

    private synchronized void hello() throws PmException, LinuxException {
        ask(message.hello());
        message.speakItsVersion();
        hasRemoteMemory = message.knowsRemoteMemory();
        hasWords = message.knowsWords();
        minDeliveryEntries = Math.toIntExact(message.argument(1));
        ownBuffers = Math.toIntExact(message.argument(2));
        directBytes = message.hasDirectRings() ? Math.toIntExact(message.argument(3)) : 0;
        expectDescriptors(ownBuffers > 0 ? 1 : 2);
        nodePage = SharedMemory.mapReadOnly(socket.receivedDescriptor(0), NodePage.LENGTH_BYTES);
        if (ownBuffers == 0) {
            receivePool =
                    SharedMemory.mapReadOnly(socket.receivedDescriptor(1), message.argument(0));
        }
    }

    @Override
    public synchronized ContextMemory openContext(final int contextId, final ContextRequest request)
            throws PmException {
        if (contextMemory.containsKey(contextId)) {
            throw new PmException("context " + contextId + " is in use by this device");
        }
        final NodePage.Facts facts = new NodePage(nodePage.address()).facts();
        final ContextRequest sizes = request.resolved(facts.mtuBytes(), minDeliveryEntries);
        final List<OwnMemory> lent = new ArrayList<>();
        try {
            lent.add(lend("hxb-control", sizes.controlBytes(), AttachMessage.CONTEXT_MEMORY));
            lent.add(lend("hxb-send", sizes.sendPoolBytes(), AttachMessage.CONTEXT_MEMORY));
            if (ownBuffers > 0) {
                final long ownBytes = (long) ownBuffers * facts.receiveBufferBytes();
                lent.add(lend("hxb-own-receive", ownBytes, AttachMessage.CONTEXT_MEMORY));
            }
            openContext(contextId, sizes, lent);
        } catch (final PmException e) {
            lent.forEach(this::takeBack);
            throw e;
        }
        contextMemory.put(contextId, lent);
        final OwnMemory control = lent.get(0);
        final int bufferBytes = facts.receiveBufferBytes();
        return new ContextMemory(
                contextId,
                control.address(),
                control.lengthBytes(),
                sizes.deliveryEntries(),
                new Buffers(lent.get(1).address(), sizes.sendBuffers(), sizes.sendBufferBytes()),
                ownBuffers > 0
                        ? new Buffers(lent.get(2).address(), ownBuffers, bufferBytes)
                        : new Buffers(receivePool.address(), facts.receiveBuffers(), bufferBytes),
                new WakeUps(
                        (int) message.argument(0),
                        socket.receivedDescriptor(0),
                        socket.receivedDescriptor(1),
                        hasWords));
    }

    private void openContext(
            final int contextId, final ContextRequest sizes, final List<OwnMemory> lent)
            throws PmException {
        message.request(AttachMessage.OPEN_CONTEXT)
                .argument(0, contextId)
                .argument(1, sizes.sendBuffers())
                .argument(2, sizes.sendBufferBytes())
                .argument(3, sizes.deliveryEntries())
                .argument(4, sizes.peerWaitNs())
                .argument(5, lent.get(0).id())
                .argument(6, lent.get(1).id())
                .argument(7, ownBuffers > 0 ? lent.get(2).id() : 0);
        try {
            exchange(message, 2);
        } catch (final PmException e) {
            // The node may open it later.
            if (isUnanswered) {
                tell(message.request(AttachMessage.CLOSE_CONTEXT).argument(0, contextId));
            }
            throw e;
        }
    }

    /** Makes memory and lends it to the node, all of it. */
    private OwnMemory lend(final String name, final long lengthBytes, final int use)
            throws PmException {
        final int id = memoryIds.nextClearBit(1);
        if (id >= AttachMessage.MEMORY_IDS) {
            throw new PmException(
                    "an attachment has at most "
                            + (AttachMessage.MEMORY_IDS - 1)
                            + " regions and parts of contexts: use fewer and larger regions");
        }
        announce(id, lengthBytes, use);
        memoryIds.set(id);
        OwnMemory memory = null;
        try {
            memory = new OwnMemory(id, name, lengthBytes);
            while (memory.isIncomplete()) {
                add(memory);
            }
            return memory;
        } catch (final LinuxException e) {
            takeBack(id, memory);
            throw new PmException(
                    "this process cannot make "
                            + lengthBytes
                            + " bytes of memory to share with its node: "
                            + e.getMessage()
                            + " (see its limit of memory, such as memory.max of its cgroup, and of"
                            + " open files, ulimit -n)",
                    e);
        } catch (final PmException e) {
            takeBack(id, memory);
            throw e;
        }
    }

    // What the same user's processes had may be on its way back: that takes a moment.
    private void announce(final int id, final long lengthBytes, final int use) throws PmException {
        final long startNs = System.nanoTime();
        boolean isDone = false;
        while (!isDone) {
            try {
                message.request(AttachMessage.LEND)
                        .argument(0, id)
                        .argument(1, lengthBytes)
                        .argument(2, use);
                exchange(message, 0);
                isDone = true;
            } catch (final PmException e) {
                if (!isRefusedForNow || System.nanoTime() - startNs > timeoutMs * MS_NS) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_PAUSE_NS);
            }
        }
    }

    private void add(final OwnMemory memory) throws PmException, LinuxException {
        final int[] pieces = memory.nextPieces(UnixSocket.MAX_DESCRIPTORS);
        try {
            message.request(AttachMessage.ADD_PIECES)
                    .argument(0, memory.id())
                    .argument(1, pieces.length);
            exchange(message, 0, pieces);
        } finally {
            for (final int piece : pieces) {
                Descriptors.close(piece);
            }
        }
    }

    private void takeBack(final OwnMemory memory) {
        takeBack(memory.id(), memory);
    }

    private void takeBack(final int id, final OwnMemory memory) {
        if (memory != null) {
            memory.close();
        }
        memoryIds.clear(id);
        tell(message.request(AttachMessage.TAKE_BACK).argument(0, id));
    }

    @Override
    public synchronized void closeContext(final ContextMemory memory) {
        final List<OwnMemory> lent = contextMemory.remove(memory.contextId());
        if (lent == null) {
            return;
        }
        lent.forEach(OwnMemory::close);
        lent.forEach(part -> memoryIds.clear(part.id()));
        Descriptors.close(memory.wakeUps().application());
        Descriptors.close(memory.wakeUps().node());
        tell(message.request(AttachMessage.CLOSE_CONTEXT).argument(0, memory.contextId()));
    }

    @Override
    public synchronized RegionMemory openRegion(final long lengthBytes, final boolean isWritten)
            throws PmException {
        if (isWritten) {
            checkRemoteMemory();
        }
        final OwnMemory memory =
                lend(
                        "hxb-region",
                        lengthBytes,
                        isWritten ? AttachMessage.WRITTEN_REGION : AttachMessage.READ_REGION);
        regionMemory.put(memory.id(), memory);
        return new RegionMemory(memory.id(), memory.address(), lengthBytes);
    }

    @Override
    public synchronized void closeRegion(final RegionMemory memory) {
        final OwnMemory lent = regionMemory.remove(memory.id());
        if (lent != null) {
            takeBack(lent);
        }
    }

    @Override
    public int directBytes() {
        return directBytes;
    }

    @Override
    public synchronized DirectMemory offerDirect(
            final int contextId, final int peerContext, final long id0, final long id1) {
        if (isClosed || isBroken) {
            return null;
        }
        final int[] descriptors = new int[2];
        DirectMemory memory = null;
        try {
            memory = DirectMemory.make(directBytes, descriptors);
            new DirectPage(memory.pageAddress())
                    .initialize(id0, id1, ProcessBarrier.isRegistered());
            message.request(AttachMessage.OFFER_DIRECT)
                    .argument(0, contextId)
                    .argument(1, peerContext);
            exchange(message, 1, descriptors);
            return memory.peerSignal(socket.receivedDescriptor(0)).number(message.argument(0));
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

    @Override
    public synchronized DirectChange nextDirectChange(final int contextId) {
        if (isClosed || isBroken) {
            return DirectChange.NOTHING;
        }
        try {
            ask(message.request(AttachMessage.DIRECT_CHANGE).argument(0, contextId));
        } catch (final PmException e) {
            return DirectChange.NOTHING;
        }
        final int kind = (int) message.argument(0);
        final int peerContext = (int) message.argument(1);
        final long ring = message.argument(3);
        final DirectMemory memory =
                kind == DirectChange.OFFERED ? mapDirect(message.argument(2)) : null;
        return new DirectChange(kind, peerContext, ring, memory);
    }

    /** Maps the ring whose descriptors have come; null if it cannot be. */
    private DirectMemory mapDirect(final long capacityBytes) {
        if (socket.receivedDescriptors() != DIRECT_DESCRIPTORS
                || capacityBytes < AddressRange.PAGE_BYTES
                || capacityBytes > directBytes
                || Long.bitCount(capacityBytes) != 1) {
            socket.closeReceivedDescriptors();
            return null;
        }
        final int records = socket.receivedDescriptor(0);
        final int page = socket.receivedDescriptor(1);
        final int signal = socket.receivedDescriptor(2);
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

    private void checkRemoteMemory() throws PmException {
        if (!hasRemoteMemory) {
            throw new PmException("the node on " + path + " is of an HXB without remote memory");
        }
    }

    @Override
    public synchronized RemoteMemoryArea openRemote(
            final int contextId, final RemoteRequest request) throws PmException {
        checkRemoteMemory();
        final List<OwnMemory> ofContext = contextMemory.get(contextId);
        if (ofContext == null) {
            throw new PmException("context " + contextId + " is not open");
        }
        final int mtuBytes = new NodePage(nodePage.address()).facts().mtuBytes();
        final OwnMemory memory =
                lend(
                        "hxb-remote",
                        request.area(0, mtuBytes).lengthBytes(),
                        AttachMessage.CONTEXT_MEMORY);
        try {
            message.request(AttachMessage.OPEN_REMOTE)
                    .argument(0, contextId)
                    .argument(1, request.operations())
                    .argument(2, request.notifications())
                    .argument(3, request.fragments())
                    .argument(4, memory.id());
            exchange(message, 0);
        } catch (final PmException e) {
            takeBack(memory);
            throw e;
        }
        ofContext.add(memory);
        return request.area(memory.address(), mtuBytes);
    }

    @Override
    public synchronized long share(final int regionId, final int rights) throws PmException {
        checkRemoteMemory();
        message.request(AttachMessage.SHARE).argument(0, regionId).argument(1, rights);
        exchange(message, 0);
        return message.argument(0);
    }

    @Override
    public synchronized void revoke(final long key) throws PmException {
        checkRemoteMemory();
        message.request(AttachMessage.REVOKE).argument(0, key);
        exchange(message, 0);
    }

    // If the node is gone, so is what was open there. If it stands still until its socket is full,
    // what was not told comes back when the device is closed.
    private void tell(final AttachMessage request) {
        if (isClosed || isBroken) {
            return;
        }
        request.number(++requests);
        try {
            isBroken = socket.send(request.address(), AttachMessage.LENGTH_BYTES) <= 0;
        } catch (final LinuxException e) {
            isBroken = true;
        }
    }

    private void exchange(final AttachMessage request, final int descriptors, final int... passed)
            throws PmException {
        ask(request, passed);
        expectDescriptors(descriptors);
    }

    private void ask(final AttachMessage request, final int... passed) throws PmException {
        isRefusedForNow = false;
        if (isClosed) {
            throw new IllegalStateException("the device is closed");
        }
        if (isBroken) {
            throw new PmException(
                    "the node on "
                            + path
                            + " has not taken earlier requests: close the device and attach again");
        }
        isUnanswered = true;
        final int type = request.type();
        request.number(++requests);
        try {
            final int sent = socket.send(request.address(), AttachMessage.LENGTH_BYTES, passed);
            if (sent == UnixSocket.WOULD_BLOCK) {
                throw silent("does not take requests");
            }
            // A node that has closed the connection may have said why before.
            receiveReply(type);
            isUnanswered = false;
        } catch (final LinuxException e) {
            throw new PmException("talking with the node on " + path + ": " + e.getMessage(), e);
        }
        if (message.isRefusal()) {
            isRefusedForNow = message.isForNow();
            throw new PmException("the node on " + path + " refuses: " + message.text());
        }
    }

    private void expectDescriptors(final int descriptors) throws PmException {
        if (socket.receivedDescriptors() != descriptors) {
            final int received = socket.receivedDescriptors();
            socket.closeReceivedDescriptors();
            throw new PmException(
                    "the node on "
                            + path
                            + " passed "
                            + received
                            + " descriptors instead of "
                            + descriptors
                            + ": raise the limit of open files (ulimit -n)");
        }
    }

    private void receiveReply(final int type) throws PmException, LinuxException {
        final long startNs = System.nanoTime();
        int length = receive();
        while (length == UnixSocket.WOULD_BLOCK) {
            final long leftNs = timeoutMs * MS_NS - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                throw silent("has not answered within " + timeoutMs + " ms");
            }
            replyPoll.await(leftNs);
            length = receive();
        }
        if (length == UnixSocket.CLOSED) {
            throw gone();
        }
        final String problem = message.problem(length);
        if (problem != null || !message.isReply() || message.type() != type) {
            socket.closeReceivedDescriptors();
            throw new PmException(
                    "the node on "
                            + path
                            + " sent "
                            + (problem != null ? problem : "an unexpected reply"));
        }
    }

    /** Receives a message, but not the late reply to a request that was given up. */
    private int receive() throws LinuxException {
        int length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
        while (length > 0 && message.problem(length) == null && message.number() != requests) {
            socket.closeReceivedDescriptors();
            length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
        }
        return length;
    }

    private PmException silent(final String what) throws LinuxException {
        return new PmException(
                "the node on " + path + " " + what + ": " + StandingNode.describe(socket.peer()));
    }

    private PmException gone() {
        return PmException.nodeMissing("the node on " + path + " is gone", null);
    }

    @Override
    public boolean isNodeAlive() {
        return new NodePage(nodePage.address()).state() == NodePage.ALIVE
                && (Descriptors.poll(socket.descriptor(), Descriptors.POLLIN, 0) & POLL_GONE) == 0;
    }

    @Override
    public long nodePageAddress() {
        return nodePage.address();
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
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        socket.close();
        replyPoll.close();
        regionMemory.values().forEach(OwnMemory::close);
        if (nodePage != null) {
            nodePage.close();
        }
        if (receivePool != null) {
            receivePool.close();
        }
    }
}
