package io.hxb.context;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;

/**
 * Accepts connections, even when the process may not open more files: then a spare descriptor is
 * used to tell the application so, and the acceptor pauses for a moment. Owned by the attach
 * thread.
 */
final class Acceptor implements AutoCloseable {
    /** Pause after a connection that found no descriptor: 200 refusals per second cost little. */
    private static final long PAUSE_NS = 5_000_000L;

    /** Pause when not even the spare descriptor helps. */
    private static final long LONG_PAUSE_NS = 100_000_000L;

    private static final int NONE = -1;

    private final AttachMessage message;
    private UnixSocket listener;
    private int spare;
    private long restNs;
    private boolean isResting;
    private String problem;

    /**
     * Takes a spare descriptor.
     *
     * @param message written for refusals.
     */
    Acceptor(final UnixSocket listener, final AttachMessage message) throws LinuxException {
        this.listener = listener;
        this.message = message;
        spare = EventFd.create();
    }

    /** Accepts from another socket from now on; the caller closes the earlier one. */
    void listenTo(final UnixSocket socket) {
        listener = socket;
    }

    /** The descriptor to wait for; -1 while the acceptor pauses. */
    int descriptor(final long nowNs) {
        if (isResting && restNs - nowNs <= 0) {
            isResting = false;
        }
        return isResting ? NONE : listener.descriptor();
    }

    /** How long to wait at most, in ns. */
    long waitNs(final long nowNs, final long maxNs) {
        return isResting ? Math.clamp(restNs - nowNs, 0, maxNs) : maxNs;
    }

    /** Why the last connection could not be accepted; null after one that was. */
    String problem() {
        return problem;
    }

    /** Accepts one connection; null if none could be accepted, see {@link #problem}. */
    UnixSocket accept(final long nowNs) {
        problem = null;
        if (spare == NONE) {
            takeSpare();
        }
        try {
            return listener.accept();
        } catch (final LinuxException e) {
            problem = "the node cannot take another connection: " + e.getMessage();
            final boolean isNotified = isOutOfDescriptors(e) && refuseWithSpare();
            isResting = true;
            restNs = nowNs + (isNotified ? PAUSE_NS : LONG_PAUSE_NS);
            return null;
        }
    }

    private static boolean isOutOfDescriptors(final LinuxException e) {
        return e.errno() == Errno.EMFILE || e.errno() == Errno.ENFILE;
    }

    private boolean refuseWithSpare() {
        if (spare == NONE) {
            return false;
        }
        Descriptors.close(spare);
        spare = NONE;
        boolean isNotified = false;
        try (UnixSocket socket = listener.accept()) {
            refuse(socket, message, problem);
            isNotified = true;
        } catch (final LinuxException e) {
            problem = "the node cannot take another connection: " + e.getMessage();
        }
        takeSpare();
        return isNotified;
    }

    private void takeSpare() {
        try {
            spare = EventFd.create();
        } catch (final LinuxException e) {
            // Another thread was faster: there will be a free descriptor again.
            spare = NONE;
        }
    }

    /**
     * Sends a process the reason why it may not attach, before or after its HELLO. Its connection
     * is closed afterwards.
     */
    static void refuse(final UnixSocket socket, final AttachMessage message, final String why)
            throws LinuxException {
        // Nothing that arrives later is read, but everything before is: the kernel would drop the
        // answer.
        socket.shutDownReceiving();
        message.request(AttachMessage.HELLO); // in case that it has sent nothing
        while (socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false) > 0) {
            socket.closeReceivedDescriptors();
        }
        message.refusal(AttachMessage.HELLO, why).number(1);
        socket.send(message.address(), AttachMessage.LENGTH_BYTES);
    }

    @Override
    public void close() {
        if (spare != NONE) {
            Descriptors.close(spare);
        }
    }
}
