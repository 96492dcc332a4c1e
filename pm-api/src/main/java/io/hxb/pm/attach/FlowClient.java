package io.hxb.pm.attach;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.MemoryFile;
import io.hxb.linux.PollSet;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks a node at its socket who talks to whom. The node writes each answer into memory that is lent
 * to it for that answer. Owned by one thread; of no use any more after an exception.
 */
public final class FlowClient implements AutoCloseable {
    private static final long CONNECT_LIMIT_MS = 1_000;
    private static final long ANSWER_LIMIT_NS = 5_000_000_000L;
    private static final int LISTS_FLOWS = 4;

    private final Path path;
    private final UnixSocket socket;
    private final PollSet poll = new PollSet(1);
    private final AttachMessage message = new AttachMessage();

    /**
     * Connects to the node that listens at a path. Blocks, at most some seconds.
     *
     * @throws IOException if that cannot be done; the message gives the reason.
     */
    public FlowClient(final Path path) throws IOException {
        this.path = path;
        socket = connect(path);
        boolean isGreeted = false;
        try {
            poll.add(socket.descriptor());
            exchange(message.hello(), System.nanoTime() + ANSWER_LIMIT_NS);
            if (message.argument(LISTS_FLOWS) == 0) {
                throw new IOException(
                        "the node on "
                                + path
                                + " is of an earlier release, which lists no flows: start it"
                                + " again");
            }
            message.useVersionOf(message);
            isGreeted = true;
        } finally {
            if (!isGreeted) {
                close();
            }
        }
    }

    private static UnixSocket connect(final Path path) throws IOException {
        try {
            return UnixSocket.connect(path, CONNECT_LIMIT_MS);
        } catch (final LinuxException e) {
            throw new IOException(
                    switch (e.errno()) {
                        case Errno.ENOENT, Errno.ECONNREFUSED -> "no node listens on " + path;
                        case Errno.EACCES -> "this user may not attach to the node on " + path;
                        default -> "cannot connect to " + path + ": " + e.getMessage();
                    },
                    e);
        }
    }

    /**
     * What the node lists. Blocks, at most some seconds.
     *
     * @param view {@link FlowListing#OWN_VIEW} or {@link FlowListing#viewOf}.
     * @throws IOException if there is no answer; the message gives the reason.
     */
    public FlowListing list(final long view) throws IOException {
        final long deadlineNs = System.nanoTime() + ANSWER_LIMIT_NS;
        FlowListing answer = ask(view, deadlineNs);
        while (answer == null) {
            // Another process of the same user has asked just now.
            LockSupport.parkNanos(FlowListing.PAUSE_NS);
            answer = ask(view, deadlineNs);
        }
        return answer;
    }

    /** Null if the node may answer soon. */
    private FlowListing ask(final long view, final long deadlineNs) throws IOException {
        // A new file for each, since the node makes sure that nobody can map it for writing again.
        try (SharedMemory memory = memory()) {
            message.request(AttachMessage.LIST_FLOWS).argument(0, view);
            if (!exchange(message, deadlineNs, memory.descriptor())) {
                return null;
            }
            final int count = Math.clamp(message.argument(0), 0, FlowListing.MAX_FLOWS);
            final List<ListedFlow> flows = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                flows.add(ListedFlow.read(memory.address() + (long) i * ListedFlow.LENGTH_BYTES));
            }
            return new FlowListing(flows, message.argument(1), message.argument(2));
        }
    }

    private SharedMemory memory() throws IOException {
        try {
            final int file = MemoryFile.create("hxb-flows", FlowListing.LENGTH_BYTES);
            try {
                return SharedMemory.mapReadOnly(file, FlowListing.LENGTH_BYTES);
            } catch (final LinuxException e) {
                Descriptors.close(file);
                throw e;
            }
        } catch (final LinuxException e) {
            throw new IOException("no memory for the flows of a node: " + e.getMessage(), e);
        }
    }

    /** Sends the message and receives the answer in it; false if the node may answer soon. */
    private boolean exchange(
            final AttachMessage request, final long deadlineNs, final int... descriptors)
            throws IOException {
        final int type = request.type();
        final int length = send(request, deadlineNs, descriptors);
        if (length == UnixSocket.CLOSED) {
            throw new IOException("the node on " + path + " is gone");
        }
        final String problem = message.problem(length);
        if (problem != null || !message.isReply() || message.type() != type) {
            throw new IOException(
                    "the node on "
                            + path
                            + " sent "
                            + (problem != null ? problem : "an unexpected reply"));
        }
        if (message.isRefusal() && !message.isForNow()) {
            throw new IOException("the node on " + path + " refuses: " + message.text());
        }
        return !message.isRefusal();
    }

    /** Returns what was received. */
    private int send(final AttachMessage request, final long deadlineNs, final int... descriptors)
            throws IOException {
        try {
            socket.send(request.address(), AttachMessage.LENGTH_BYTES, descriptors);
            int length = UnixSocket.WOULD_BLOCK;
            while (length == UnixSocket.WOULD_BLOCK) {
                final long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    throw new IOException(
                            "the node on " + path + " has not answered in time: it hangs");
                }
                poll.await(leftNs);
                length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
            }
            socket.closeReceivedDescriptors();
            return length;
        } catch (final LinuxException e) {
            throw new IOException(
                    "cannot communicate with the node on " + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        poll.close();
        socket.close();
    }
}
