package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.flow.FlowRights;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.attach.FlowListing;
import io.hxb.pm.attach.ListedFlow;
import io.hxb.pm.attach.RemoteRequest;

import java.util.Arrays;
import java.util.function.Predicate;

/** One application at the node's socket. Owned by the attach server's thread. */
final class AttachConnection {
    /** Why a connection ends that its application has closed. */
    static final String DETACHED = "it has detached";

    private final ContextManager manager;
    private final ContextParts parts;
    private final NodeMemory node;
    private final ContextOpener opener;
    private final DirectOffers directOffers;
    private final UnixSocket socket;
    private final UnixSocket.Peer peer;
    private final AttachedProcess attachedProcess;
    private final AttachMessage message;
    private final AuditLog audit;
    private final long openedNs;
    private boolean isGreeted;

    AttachConnection(
            final ContextManager manager,
            final UnixSocket socket,
            final UnixSocket.Peer peer,
            final AttachedProcess attachedProcess,
            final AttachMessage message,
            final AuditLog audit,
            final long openedNs) {
        this.manager = manager;
        parts = manager.parts();
        node = manager.memory();
        opener = manager.opener();
        directOffers = manager.directOffers();
        this.socket = socket;
        this.peer = peer;
        this.attachedProcess = attachedProcess;
        this.message = message;
        this.audit = audit;
        this.openedNs = openedNs;
    }

    int descriptor() {
        return socket.descriptor();
    }

    UnixSocket.Peer peer() {
        return peer;
    }

    UserAccount account() {
        return attachedProcess.account();
    }

    String name() {
        return attachedProcess.name();
    }

    boolean isLate(final long nowNs, final long timeoutNs) {
        return !isGreeted && nowNs - openedNs > timeoutNs;
    }

    /**
     * Serves one request.
     *
     * @return null if the connection goes on; else why it ends.
     */
    String serve() throws LinuxException {
        final int length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
        try {
            return serve(length);
        } finally {
            socket.closeReceivedDescriptors();
        }
    }

    private String serve(final int length) throws LinuxException {
        if (length == UnixSocket.WOULD_BLOCK) {
            return null;
        }
        if (length == UnixSocket.CLOSED) {
            return DETACHED;
        }
        final String problem = message.problem(length);
        if (problem != null) {
            message.refusal(AttachMessage.HELLO, "the node got " + problem);
            reply();
            return "it sent " + problem;
        }
        final int type = message.type();
        if (message.isReply() || isGreeted == (type == AttachMessage.HELLO)) {
            return "it sent request " + type + " out of turn";
        }
        try {
            return answer(type);
        } catch (final PmException | IllegalArgumentException e) {
            if (e instanceof PmException stopping && stopping.isNodeMissing()) {
                // As if the node had ended already: a process that attaches again waits for the
                // next one.
                return DETACHED;
            }
            if (type == AttachMessage.OFFER_DIRECT) {
                // Many have no ring and lose nothing but time.
                message.refusal(type, e.getMessage());
                return reply();
            }
            audit.onRefused(peer, refused(type), e.getMessage(), System.nanoTime());
            message.refusal(type, e.getMessage());
            return reply();
        }
    }

    private static String refused(final int type) {
        return switch (type) {
            case AttachMessage.OPEN_CONTEXT -> "to open a context";
            case AttachMessage.LIST_FLOWS -> "to list flows";
            default -> "to share memory";
        };
    }

    private String lend() throws PmException, LinuxException {
        final int id = (int) range(0);
        final long lengthBytes = message.argument(1);
        // Looked at before, too: all of it may be back by the time of the refusal.
        final boolean wasReturning = attachedProcess.account().isReturning();
        try {
            attachedProcess.lend(id, lengthBytes, (int) range(2));
        } catch (final PmException e) {
            final boolean isForNow = wasReturning || attachedProcess.account().isReturning();
            message.refusal(AttachMessage.LEND, e.getMessage());
            if (isForNow) {
                message.forNow();
            }
            return reply();
        }
        message.reply(AttachMessage.LEND);
        return reply();
    }

    private String addPieces() throws PmException, LinuxException {
        final int id = (int) range(0);
        final long pieces = message.argument(1);
        if (socket.receivedDescriptors() != pieces) {
            throw new PmException(
                    "of "
                            + pieces
                            + " descriptors "
                            + socket.receivedDescriptors()
                            + " arrived: the node's limit of open files is reached");
        }
        for (int i = 0; i < pieces; i++) {
            attachedProcess.addPiece(id, socket.receivedDescriptor(i));
        }
        message.reply(AttachMessage.ADD_PIECES);
        return reply();
    }

    private String takeBack() {
        attachedProcess.takeBack((int) range(0));
        return null;
    }

    private String answer(final int type) throws PmException, LinuxException {
        return switch (type) {
            case AttachMessage.HELLO -> hello();
            case AttachMessage.OPEN_CONTEXT -> openContext();
            case AttachMessage.CLOSE_CONTEXT -> closeContext();
            case AttachMessage.LEND -> lend();
            case AttachMessage.ADD_PIECES -> addPieces();
            case AttachMessage.TAKE_BACK -> takeBack();
            case AttachMessage.OFFER_DIRECT -> offerDirect();
            case AttachMessage.DIRECT_CHANGE -> directChange();
            case AttachMessage.OPEN_REMOTE -> openRemote();
            case AttachMessage.SHARE -> share();
            case AttachMessage.REVOKE -> revoke();
            case AttachMessage.LIST_FLOWS -> listFlows();
            default -> "it sent the unknown request " + type;
        };
    }

    private String hello() throws LinuxException {
        isGreeted = true;
        manager.onAttachAccepted();
        final int ownBuffers = parts.ownBuffers();
        message.reply(AttachMessage.HELLO)
                .argument(1, parts.minDeliveryEntries())
                .argument(2, ownBuffers)
                .argument(4, 1);
        if (message.hasDirectRings()) {
            attachedProcess.onDirectRings();
            message.argument(3, directOffers.ringBytes());
        }
        if (ownBuffers > 0) {
            return reply(node.nodePage().descriptor());
        }
        message.argument(0, node.receivePool().lengthBytes());
        return reply(node.nodePage().descriptor(), node.receivePool().descriptor());
    }

    private String openContext() throws PmException, LinuxException {
        final ContextRequest request =
                new ContextRequest(
                        Math.toIntExact(range(1)),
                        Math.toIntExact(range(2)),
                        Math.toIntExact(range(3)),
                        message.argument(4));
        final EndpointMemory memory =
                EndpointMemory.of(
                        attachedProcess,
                        parts,
                        node,
                        request,
                        new int[] {(int) range(5), (int) range(6), (int) range(7)});
        final int contextId = (int) range(0);
        opener.open(memory, contextId, request.peerWaitNs(), null);
        message.reply(AttachMessage.OPEN_CONTEXT).argument(0, parts.loopIndex(contextId));
        return reply(memory.wakeApplication(), memory.wakeNode());
    }

    private String offerDirect() throws PmException, LinuxException {
        if (socket.receivedDescriptors() != 2) {
            throw new PmException("a ring has two descriptors: the limit of open files is reached");
        }
        final ContextEndpoint sender = attachedProcess.context((int) range(0));
        final int peerContext = (int) range(1);
        final DirectOffers.Ring ring =
                directOffers.offer(
                        sender,
                        peerContext,
                        socket.receivedDescriptor(0),
                        socket.receivedDescriptor(1));
        message.reply(AttachMessage.OFFER_DIRECT).argument(0, ring.number());
        return replyWithSignal(ring.receiver());
    }

    private String directChange() throws LinuxException {
        final ContextEndpoint endpoint = attachedProcess.context((int) range(0));
        final DirectOffers.News news = endpoint == null ? null : directOffers.next(endpoint);
        message.reply(AttachMessage.DIRECT_CHANGE);
        if (news == null) {
            return reply();
        }
        final DirectOffers.Ring ring = news.ring();
        final ContextEndpoint peer = ring.sender() == endpoint ? ring.receiver() : ring.sender();
        message.argument(0, news.kind()).argument(1, peer.contextId()).argument(3, ring.number());
        if (news.kind() != DirectChange.OFFERED) {
            return reply();
        }
        message.argument(2, directOffers.ringBytes());
        try {
            return replyWithSignal(peer, ring.records(), ring.page());
        } finally {
            ring.closeDescriptors();
        }
    }

    /** Replies with descriptors and that by which a context is woken, unless it is closed. */
    private String replyWithSignal(final ContextEndpoint peer, final int... descriptors)
            throws LinuxException {
        if (!peer.memory().use()) {
            return reply(descriptors);
        }
        try {
            final int[] all = Arrays.copyOf(descriptors, descriptors.length + 1);
            all[descriptors.length] = peer.memory().signal();
            return reply(all);
        } finally {
            peer.memory().unuse();
        }
    }

    private String openRemote() throws PmException, LinuxException {
        final RemoteRequest request =
                new RemoteRequest((int) range(1), (int) range(2), (int) range(3));
        final ContextEndpoint endpoint = attachedProcess.context((int) range(0));
        if (endpoint == null) {
            throw new PmException("the application has no context " + message.argument(0));
        }
        final long lengthBytes = request.area(0, parts.mtuBytes()).lengthBytes();
        final LentMemory memory = attachedProcess.takeOut((int) range(4), lengthBytes);
        opener.openRemote(endpoint, request, memory, null);
        message.reply(AttachMessage.OPEN_REMOTE);
        return reply();
    }

    private String share() throws PmException, LinuxException {
        final long key = attachedProcess.share((int) range(0), (int) range(1));
        message.reply(AttachMessage.SHARE).argument(0, key);
        return reply();
    }

    private String revoke() throws PmException, LinuxException {
        attachedProcess.revoke(message.argument(0));
        message.reply(AttachMessage.REVOKE);
        return reply();
    }

    private String listFlows() throws PmException, LinuxException {
        if (socket.receivedDescriptors() != 1) {
            throw new PmException("flows are listed in memory of which there is one descriptor");
        }
        final FlowLists lists = manager.flowLists();
        final Predicate<FlowRights> isShown = lists.view(account(), message.argument(0));
        if (!lists.mayAsk(account(), System.nanoTime())) {
            message.refusal(AttachMessage.LIST_FLOWS, "this user has asked just now").forNow();
            return reply();
        }
        try (SharedMemory memory = FlowLists.map(socket.receivedDescriptor(0))) {
            final FlowListing listing = lists.list(isShown);
            for (int i = 0; i < listing.flows().size(); i++) {
                final long offset = (long) i * ListedFlow.LENGTH_BYTES;
                listing.flows().get(i).write(memory.address() + offset);
            }
            message.reply(AttachMessage.LIST_FLOWS)
                    .argument(0, listing.flows().size())
                    .argument(1, listing.total())
                    .argument(2, listing.timeNs());
        }
        return reply();
    }

    private long range(final int argument) {
        final long value = message.argument(argument);
        if (value != (int) value) {
            throw new IllegalArgumentException(
                    "argument " + argument + " is out of range: " + value);
        }
        return value;
    }

    private String closeContext() {
        final ContextEndpoint endpoint = attachedProcess.context((int) message.argument(0));
        if (endpoint != null) {
            opener.close(endpoint);
        }
        return null;
    }

    private String reply(final int... descriptors) throws LinuxException {
        final int sent = socket.send(message.address(), AttachMessage.LENGTH_BYTES, descriptors);
        return switch (sent) {
            case UnixSocket.CLOSED -> DETACHED;
            case UnixSocket.WOULD_BLOCK -> "it does not take the node's answers";
            default -> null;
        };
    }

    /** Ends the connection: closes the application's contexts and gives its memory back. */
    void close() {
        socket.close();
        opener.detach(attachedProcess);
        attachedProcess.account().giveBack(ResourceShare.CONNECTIONS, 1);
    }
}
