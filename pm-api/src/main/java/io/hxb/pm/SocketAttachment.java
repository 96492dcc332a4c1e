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
import io.hxb.pm.attach.DirectOffer;
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
    private final NodeRequests requests;
    private final BitSet memoryIds = new BitSet();
    private final Map<Integer, List<LendableMemory>> contextMemory = new HashMap<>();
    private final Map<Integer, LendableMemory> regionMemory = new HashMap<>();

    /** For the next change of the rings of a context, by its id. */
    private final Map<Integer, NodeRequests.Asked> changes = new HashMap<>();

    /** Whose version all requests have. */
    private AttachMessage greeting;

    private SharedMemory nodePage;
    private SharedMemory receivePool;
    private int minDeliveryEntries;
    private int ownBuffers;
    private int directBytes;
    private boolean hasRemoteMemory;
    private boolean hasWords;
    private volatile boolean isClosed;

    private SocketAttachment(final UnixSocket socket, final Path path, final long timeoutMs) {
        this.socket = socket;
        this.path = path;
        this.timeoutMs = timeoutMs;
        requests = new NodeRequests(socket, path, timeoutMs);
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

    private void hello() throws PmException, LinuxException {
        final NodeRequests.Asked asked = requests.ask(new AttachMessage().hello());
        greeting = asked.await();
        requests.speakVersionOf(greeting);
        hasRemoteMemory = greeting.knowsRemoteMemory();
        hasWords = greeting.knowsWords();
        minDeliveryEntries = Math.toIntExact(greeting.argument(1));
        ownBuffers = Math.toIntExact(greeting.argument(2));
        directBytes = greeting.hasDirectRings() ? Math.toIntExact(greeting.argument(3)) : 0;
        expectDescriptors(asked, ownBuffers > 0 ? 1 : 2);
        nodePage = SharedMemory.mapReadOnly(asked.descriptor(0), NodePage.LENGTH_BYTES);
        if (ownBuffers == 0) {
            receivePool = SharedMemory.mapReadOnly(asked.descriptor(1), greeting.argument(0));
        }
    }

    private AttachMessage request(final int type, final long... arguments) {
        final AttachMessage request = new AttachMessage().speakVersionOf(greeting).request(type);
        for (int i = 0; i < arguments.length; i++) {
            request.argument(i, arguments[i]);
        }
        return request;
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
            lent.forEach(this::takeBack);
            throw e;
        }
    }

    private ContextMemory openContext(
            final int contextId, final ContextRequest request, final List<LendableMemory> lent)
            throws PmException {
        final NodePage.Facts facts = new NodePage(nodePage.address()).facts();
        final ContextRequest sizes = request.resolved(facts.mtuBytes(), minDeliveryEntries);
        lent.add(lend("hxb-control", sizes.controlBytes(), AttachMessage.CONTEXT_MEMORY));
        lent.add(lend("hxb-send", sizes.sendPoolBytes(), AttachMessage.CONTEXT_MEMORY));
        if (ownBuffers > 0) {
            final long ownBytes = (long) ownBuffers * facts.receiveBufferBytes();
            lent.add(lend("hxb-own-receive", ownBytes, AttachMessage.CONTEXT_MEMORY));
        }
        final NodeRequests.Asked granted = askForContext(contextId, sizes, lent);
        final LendableMemory control = lent.get(0);
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
                        (int) granted.answer().argument(0),
                        granted.descriptor(0),
                        granted.descriptor(1),
                        hasWords));
    }

    private NodeRequests.Asked askForContext(
            final int contextId, final ContextRequest sizes, final List<LendableMemory> lent)
            throws PmException {
        final NodeRequests.Asked asked =
                requests.ask(
                        request(
                                AttachMessage.OPEN_CONTEXT,
                                contextId,
                                sizes.sendBuffers(),
                                sizes.sendBufferBytes(),
                                sizes.deliveryEntries(),
                                sizes.peerWaitNs(),
                                lent.get(0).id(),
                                lent.get(1).id(),
                                ownBuffers > 0 ? lent.get(2).id() : 0));
        try {
            asked.await();
            expectDescriptors(asked, 2);
            return asked;
        } catch (final PmException e) {
            if (!asked.isOver()) {
                // The node may open it later.
                requests.send(AttachMessage.CLOSE_CONTEXT, contextId);
            }
            throw e;
        }
    }

    /** Makes memory and lends it to the node, all of it. */
    private LendableMemory lend(final String name, final long lengthBytes, final int use)
            throws PmException {
        final int id = takeId();
        LendableMemory memory = null;
        boolean isLent = false;
        try {
            announce(id, lengthBytes, use);
            isLent = true;
            memory = new LendableMemory(id, name, lengthBytes);
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
            if (isLent) {
                takeBack(id, memory);
            } else {
                giveBackId(id);
            }
            throw e;
        }
    }

    private synchronized int takeId() throws PmException {
        final int id = memoryIds.nextClearBit(1);
        if (id >= AttachMessage.MEMORY_IDS) {
            throw new PmException(
                    "an attachment has at most "
                            + (AttachMessage.MEMORY_IDS - 1)
                            + " regions and parts of contexts: use fewer and larger regions");
        }
        memoryIds.set(id);
        return id;
    }

    private synchronized void giveBackId(final int id) {
        memoryIds.clear(id);
    }

    // What the same user's processes had may be on its way back: that takes a moment.
    private void announce(final int id, final long lengthBytes, final int use) throws PmException {
        final long startNs = System.nanoTime();
        boolean isDone = false;
        while (!isDone) {
            final NodeRequests.Asked asked =
                    requests.ask(request(AttachMessage.LEND, id, lengthBytes, use));
            try {
                asked.await();
                expectDescriptors(asked, 0);
                isDone = true;
            } catch (final PmException e) {
                if (!asked.isOver()) {
                    // The node may take it later.
                    requests.send(AttachMessage.TAKE_BACK, id);
                }
                if (!asked.isRefusedForNow() || System.nanoTime() - startNs > timeoutMs * MS_NS) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_PAUSE_NS);
            }
        }
    }

    private void add(final LendableMemory memory) throws PmException, LinuxException {
        final int[] pieces = memory.nextPieces(UnixSocket.MAX_DESCRIPTORS);
        try {
            final NodeRequests.Asked asked =
                    requests.ask(
                            request(AttachMessage.ADD_PIECES, memory.id(), pieces.length), pieces);
            asked.await();
            expectDescriptors(asked, 0);
        } finally {
            for (final int piece : pieces) {
                Descriptors.close(piece);
            }
        }
    }

    private void takeBack(final LendableMemory memory) {
        takeBack(memory.id(), memory);
    }

    private void takeBack(final int id, final LendableMemory memory) {
        if (memory != null) {
            memory.close();
        }
        requests.send(AttachMessage.TAKE_BACK, id);
        giveBackId(id);
    }

    @Override
    public void closeContext(final ContextMemory memory) {
        final List<LendableMemory> lent;
        final NodeRequests.Asked change;
        synchronized (this) {
            lent = contextMemory.get(memory.contextId());
            change = changes.remove(memory.contextId());
        }
        if (lent == null) {
            return;
        }
        if (change != null) {
            change.forget();
        }
        lent.forEach(LendableMemory::close);
        Descriptors.close(memory.wakeUps().application());
        Descriptors.close(memory.wakeUps().node());
        requests.send(AttachMessage.CLOSE_CONTEXT, memory.contextId());
        synchronized (this) {
            contextMemory.remove(memory.contextId());
            lent.forEach(part -> memoryIds.clear(part.id()));
            if (isClosed && contextMemory.isEmpty()) {
                closeNodeMemory();
            }
        }
    }

    @Override
    public void vacateContext(final ContextMemory memory) {
        synchronized (this) {
            final List<LendableMemory> lent = contextMemory.get(memory.contextId());
            if (lent == null) {
                return;
            }
            lent.forEach(LendableMemory::vacate);
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
                lend(
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
            takeBack(lent);
        }
    }

    @Override
    public int directBytes() {
        return directBytes;
    }

    @Override
    public DirectOffer offerDirect(
            final int contextId, final int peerContext, final long id0, final long id1) {
        final int[] descriptors = new int[2];
        DirectMemory memory = null;
        try {
            memory = DirectMemory.make(directBytes, descriptors);
            new DirectPage(memory.pageAddress())
                    .initialize(id0, id1, ProcessBarrier.isRegistered());
            return new SocketOffer(
                    memory,
                    requests.ask(
                            request(AttachMessage.OFFER_DIRECT, contextId, peerContext),
                            descriptors));
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

    /** A ring that was offered. */
    private record SocketOffer(DirectMemory memory, NodeRequests.Asked asked)
            implements DirectOffer {
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

    @Override
    public DirectChange nextDirectChange(final int contextId) {
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
                    kind == DirectChange.OFFERED ? mapDirect(asked, answer.argument(2)) : null;
            return new DirectChange(kind, (int) answer.argument(1), answer.argument(3), memory);
        } catch (final PmException e) {
            return DirectChange.NOTHING;
        }
    }

    /** Null if the node takes no requests now. */
    private NodeRequests.Asked askForChange(final int contextId) {
        try {
            return requests.ask(request(AttachMessage.DIRECT_CHANGE, contextId));
        } catch (final PmException e) {
            return null;
        }
    }

    /** Maps the ring whose descriptors have come; null if it cannot be. */
    private DirectMemory mapDirect(final NodeRequests.Asked asked, final long capacityBytes) {
        if (asked.descriptorCount() != DIRECT_DESCRIPTORS
                || capacityBytes < AddressRange.PAGE_BYTES
                || capacityBytes > directBytes
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

    private void checkRemoteMemory() throws PmException {
        if (!hasRemoteMemory) {
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
        final int mtuBytes = new NodePage(nodePage.address()).facts().mtuBytes();
        final long lengthBytes = request.area(0, mtuBytes).lengthBytes();
        final LendableMemory memory = lend("hxb-remote", lengthBytes, AttachMessage.CONTEXT_MEMORY);
        final NodeRequests.Asked asked =
                requests.ask(
                        request(
                                AttachMessage.OPEN_REMOTE,
                                contextId,
                                request.operations(),
                                request.notifications(),
                                request.fragments(),
                                memory.id()));
        try {
            asked.await();
            expectDescriptors(asked, 0);
        } catch (final PmException e) {
            takeBack(memory);
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
        return done(AttachMessage.SHARE, regionId, rights).argument(0);
    }

    @Override
    public void revoke(final long key) throws PmException {
        checkRemoteMemory();
        done(AttachMessage.REVOKE, key);
    }

    private AttachMessage done(final int type, final long... arguments) throws PmException {
        final NodeRequests.Asked asked = requests.ask(request(type, arguments));
        final AttachMessage answer = asked.await();
        expectDescriptors(asked, 0);
        return answer;
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the device is closed");
        }
    }

    private void expectDescriptors(final NodeRequests.Asked asked, final int descriptors)
            throws PmException {
        if (asked.descriptorCount() != descriptors) {
            final int received = asked.descriptorCount();
            asked.closeDescriptors();
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

    // Answers that nobody waits for are no news of the node's end: they are taken here, too.
    @Override
    public boolean isNodeAlive() {
        if (isClosed) {
            return false;
        }
        requests.takeAnswers();
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
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        requests.close();
        synchronized (this) {
            regionMemory.values().forEach(LendableMemory::vacate);
            if (contextMemory.isEmpty()) {
                closeNodeMemory();
            } else {
                // Contexts that are vacated may still read it.
                nodePage.vacate();
                if (receivePool != null) {
                    receivePool.vacate();
                }
            }
        }
    }

    private void closeNodeMemory() {
        if (nodePage != null) {
            nodePage.close();
        }
        if (receivePool != null) {
            receivePool.close();
        }
    }
}
