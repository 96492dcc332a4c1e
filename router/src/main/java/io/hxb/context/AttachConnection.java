package io.hxb.context;

import io.hxb.config.Share;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.ContextRequest;

/** One application at the node's socket. Owned by the attach server's thread. */
final class AttachConnection {
    private final ContextManager manager;
    private final UnixSocket socket;
    private final Application application;
    private final AttachMessage message;
    private final String refusal;
    private final long openedNs;
    private boolean isGreeted;

    AttachConnection(
            final ContextManager manager,
            final UnixSocket socket,
            final Application application,
            final AttachMessage message,
            final String refusal,
            final long openedNs) {
        this.manager = manager;
        this.socket = socket;
        this.application = application;
        this.message = message;
        this.refusal = refusal;
        this.openedNs = openedNs;
    }

    int descriptor() {
        return socket.descriptor();
    }

    String name() {
        return application.name();
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
        socket.closeReceivedDescriptors();
        if (length == UnixSocket.WOULD_BLOCK) {
            return null;
        }
        if (length == UnixSocket.CLOSED) {
            return "it has detached";
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
            message.refusal(type, e.getMessage());
            return reply();
        }
    }

    private String answer(final int type) throws PmException, LinuxException {
        return switch (type) {
            case AttachMessage.HELLO -> hello();
            case AttachMessage.OPEN_CONTEXT -> openContext();
            case AttachMessage.CLOSE_CONTEXT -> closeContext();
            case AttachMessage.OPEN_REGION -> openRegion();
            case AttachMessage.CLOSE_REGION -> closeRegion();
            default -> "it sent the unknown request " + type;
        };
    }

    private String hello() throws LinuxException {
        if (refusal != null) {
            message.refusal(AttachMessage.HELLO, refusal);
            reply();
            return refusal;
        }
        isGreeted = true;
        manager.onAttachAccepted();
        message.reply(AttachMessage.HELLO).argument(0, manager.receivePoolMemory().lengthBytes());
        return reply(
                manager.nodePageMemory().descriptor(), manager.receivePoolMemory().descriptor());
    }

    private String openContext() throws PmException, LinuxException {
        final ContextRequest request =
                new ContextRequest(
                        Math.toIntExact(range(1)),
                        Math.toIntExact(range(2)),
                        Math.toIntExact(range(3)),
                        message.argument(4));
        final int contextId = (int) range(0);
        final ContextEndpoint endpoint = manager.open(application, contextId, request, null);
        message.reply(AttachMessage.OPEN_CONTEXT)
                .argument(0, endpoint.memory().control().lengthBytes())
                .argument(1, endpoint.memory().sendSlots())
                .argument(2, endpoint.memory().sendBufferBytes())
                .argument(3, endpoint.memory().deliveryEntries())
                .argument(4, manager.loopIndex(contextId));
        return reply(
                endpoint.memory().control().descriptor(),
                endpoint.memory().sendPool().descriptor(),
                endpoint.memory().wakeApplication(),
                endpoint.memory().wakeNode());
    }

    private long range(final int argument) {
        final long value = message.argument(argument);
        if (value != (int) value) {
            throw new IllegalArgumentException("argument " + argument + " is absurd: " + value);
        }
        return value;
    }

    private String closeContext() throws LinuxException {
        final ContextEndpoint endpoint = application.context((int) message.argument(0));
        if (endpoint != null) {
            manager.close(endpoint);
        }
        message.reply(AttachMessage.CLOSE_CONTEXT);
        return reply();
    }

    private String openRegion() throws PmException, LinuxException {
        final long lengthBytes = message.argument(0);
        if (lengthBytes < 1) {
            throw new IllegalArgumentException("a region has 1 byte or more: " + lengthBytes);
        }
        final int id = application.openRegion(lengthBytes);
        message.reply(AttachMessage.OPEN_REGION).argument(0, id);
        return reply(application.region(id).memory().descriptor());
    }

    private String closeRegion() throws LinuxException {
        final long id = message.argument(0);
        application.closeRegion(id == (int) id ? (int) id : 0);
        message.reply(AttachMessage.CLOSE_REGION);
        return reply();
    }

    private String reply(final int... descriptors) throws LinuxException {
        return socket.send(message.address(), AttachMessage.LENGTH_BYTES, descriptors) > 0
                ? null
                : "it does not take the node's answers";
    }

    /** Ends the connection: closes the application's contexts and regions. */
    void close() {
        socket.close();
        manager.detach(application);
        if (refusal == null) {
            application.account().giveBack(Share.CONNECTIONS, 1);
        }
    }
}
