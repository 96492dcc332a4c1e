package io.hxb.pm;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.shm.NodePage;

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
    private static final long REPLY_TIMEOUT_NS = 5_000_000_000L;
    private static final int POLL_GONE = PollSet.GONE & ~0x2000;

    private final UnixSocket socket;
    private final Path path;
    private final AttachMessage message = new AttachMessage();
    private final PollSet replyPoll = new PollSet(1);
    private final Map<Integer, List<SharedMemory>> contextMemory = new HashMap<>();
    private final Map<Integer, SharedMemory> regionMemory = new HashMap<>();
    private SharedMemory nodePage;
    private SharedMemory receivePool;
    private boolean isClosed;

    private SocketAttachment(final UnixSocket socket, final Path path) {
        this.socket = socket;
        this.path = path;
        replyPoll.add(socket.descriptor());
    }

    static Attachment connect(final Path path) throws PmException {
        final SocketAttachment attachment = new SocketAttachment(open(path), path);
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

    private static UnixSocket open(final Path path) throws PmException {
        try {
            return UnixSocket.connect(path);
        } catch (final LinuxException e) {
            throw switch (e.errno()) {
                case Errno.ENOENT, Errno.ECONNREFUSED ->
                        PmException.nodeMissing(
                                "no node listens on " + path + ": start one with hxb node", e);
                case Errno.EACCES -> new PmException(AttachRefusal.describe(path), e);
                default -> new PmException("cannot connect to " + path + ": " + e.getMessage(), e);
            };
        }
    }

    private synchronized void hello() throws PmException, LinuxException {
        message.request(AttachMessage.HELLO);
        exchange(AttachMessage.HELLO, 2);
        nodePage = SharedMemory.mapReadOnly(socket.receivedDescriptor(0), NodePage.LENGTH_BYTES);
        receivePool = SharedMemory.mapReadOnly(socket.receivedDescriptor(1), message.argument(0));
    }

    @Override
    public synchronized ContextMemory openContext(final int contextId, final ContextRequest request)
            throws PmException {
        message.request(AttachMessage.OPEN_CONTEXT)
                .argument(0, contextId)
                .argument(1, request.sendBuffers())
                .argument(2, request.sendBufferBytes())
                .argument(3, request.deliveryEntries())
                .argument(4, request.peerWaitNs());
        exchange(AttachMessage.OPEN_CONTEXT, 4);
        final int sendBuffers = (int) message.argument(1);
        final int sendBufferBytes = (int) message.argument(2);
        final List<SharedMemory> mapped = new ArrayList<>();
        try {
            mapped.add(
                    SharedMemory.mapReadWrite(socket.receivedDescriptor(0), message.argument(0)));
            mapped.add(
                    SharedMemory.mapReadWrite(
                            socket.receivedDescriptor(1), (long) sendBuffers * sendBufferBytes));
        } catch (final LinuxException e) {
            mapped.forEach(SharedMemory::close);
            for (int i = mapped.size(); i < socket.receivedDescriptors(); i++) {
                Descriptors.close(socket.receivedDescriptor(i));
            }
            throw new PmException("cannot map context " + contextId + ": " + e.getMessage(), e);
        }
        contextMemory.put(contextId, mapped);
        return new ContextMemory(
                contextId,
                mapped.get(0).address(),
                mapped.get(0).lengthBytes(),
                mapped.get(1).address(),
                sendBuffers,
                sendBufferBytes,
                (int) message.argument(3),
                (int) message.argument(4),
                socket.receivedDescriptor(2),
                socket.receivedDescriptor(3));
    }

    @Override
    public synchronized void closeContext(final ContextMemory memory) {
        final List<SharedMemory> mapped = contextMemory.remove(memory.contextId());
        if (mapped == null) {
            return;
        }
        mapped.forEach(SharedMemory::close);
        Descriptors.close(memory.wakeApplication());
        Descriptors.close(memory.wakeNode());
        message.request(AttachMessage.CLOSE_CONTEXT).argument(0, memory.contextId());
        tell(AttachMessage.CLOSE_CONTEXT);
    }

    @Override
    public synchronized RegionMemory openRegion(final long lengthBytes) throws PmException {
        message.request(AttachMessage.OPEN_REGION).argument(0, lengthBytes);
        exchange(AttachMessage.OPEN_REGION, 1);
        final int id = (int) message.argument(0);
        try {
            final SharedMemory memory =
                    SharedMemory.mapReadWrite(socket.receivedDescriptor(0), lengthBytes);
            regionMemory.put(id, memory);
            return new RegionMemory(id, memory.address(), lengthBytes);
        } catch (final LinuxException e) {
            socket.closeReceivedDescriptors();
            throw new PmException(
                    "cannot map a region of " + lengthBytes + " bytes: " + e.getMessage(), e);
        }
    }

    @Override
    public synchronized void closeRegion(final RegionMemory memory) {
        final SharedMemory mapped = regionMemory.remove(memory.id());
        if (mapped != null) {
            mapped.close();
            message.request(AttachMessage.CLOSE_REGION).argument(0, memory.id());
            tell(AttachMessage.CLOSE_REGION);
        }
    }

    // For what is closed the node's answer does not matter: if it is gone, so is what was open.
    private void tell(final int type) {
        try {
            exchange(type, 0);
        } catch (final PmException e) {
            socket.closeReceivedDescriptors();
        }
    }

    private void exchange(final int type, final int descriptors) throws PmException {
        if (isClosed) {
            throw new IllegalStateException("the device is closed");
        }
        try {
            if (socket.send(message.address(), AttachMessage.LENGTH_BYTES) <= 0) {
                throw gone();
            }
            receiveReply(type);
        } catch (final LinuxException e) {
            throw new PmException("talking with the node on " + path + ": " + e.getMessage(), e);
        }
        if (message.isRefusal()) {
            throw new PmException("the node on " + path + " refuses: " + message.text());
        }
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
        int length = UnixSocket.WOULD_BLOCK;
        while (length == UnixSocket.WOULD_BLOCK) {
            final long leftNs = REPLY_TIMEOUT_NS - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                throw new PmException(
                        "the node on " + path + " has not answered within 5 s: it hangs");
            }
            replyPoll.await(leftNs);
            length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
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
                            + (problem != null ? problem : "an unexpected reply")
                            + ": is it of the same HXB version?");
        }
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
    public long receivePoolAddress() {
        return receivePool.address();
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
        regionMemory.values().forEach(SharedMemory::close);
        if (nodePage != null) {
            nodePage.close();
        }
        if (receivePool != null) {
            receivePool.close();
        }
    }
}
