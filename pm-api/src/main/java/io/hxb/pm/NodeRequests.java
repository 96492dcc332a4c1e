package io.hxb.pm;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Requests to a node and their answers. Requests are numbered and sent; the thread that reads next
 * gives each answer to the request that it belongs to. One of the threads that wait reads for all
 * of them; the lock is held while something is sent or taken, never while a thread waits.
 * Thread-safe.
 */
final class NodeRequests implements AutoCloseable {
    /** Looks for an answer, each of which makes a system call; then one of {@link #LOOKS} does. */
    private static final int EAGER_LOOKS = 256;

    private static final int LOOKS = 64;
    private static final long MS_NS = 1_000_000;

    private final UnixSocket socket;
    private final Path path;
    private final long timeoutMs;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();
    private final PollSet poll = new PollSet(1);

    /** Requests without an answer, the oldest first. */
    private final Deque<Asked> asked = new ArrayDeque<>();

    /** Messages that the socket had no room for: type and argument. */
    private final Deque<long[]> unsent = new ArrayDeque<>();

    /** The answer to the first request, whose version all others have. */
    private AttachMessage greeting;

    private AttachMessage received = new AttachMessage();
    private final AttachMessage sending = new AttachMessage();
    private int requests;
    private int calls;
    private boolean isReading;
    private boolean isClosed;

    NodeRequests(final UnixSocket socket, final Path path, final long timeoutMs) {
        this.socket = socket;
        this.path = path;
        this.timeoutMs = timeoutMs;
        poll.add(socket.descriptor());
    }

    /** A request that was sent, and its answer once that is there. */
    final class Asked {
        private final int number;
        private final int type;
        private volatile boolean isAnswered;
        private AttachMessage answer;
        private int lengthBytes;
        private List<Integer> descriptors = List.of();
        private int looks;

        private Asked(final int number, final int type) {
            this.number = number;
            this.type = type;
        }

        /**
         * True if the answer is there, or none will come: then {@link #answer} has it. Never waits.
         */
        boolean isOver() {
            looks += looks < EAGER_LOOKS + LOOKS ? 1 : 1 - LOOKS;
            if (!isAnswered && (looks < EAGER_LOOKS || looks == EAGER_LOOKS + LOOKS)) {
                takeAnswers();
            }
            return isAnswered;
        }

        /** The descriptors that came with the answer, which the caller closes. */
        int descriptor(final int index) {
            return descriptors.get(index);
        }

        int descriptorCount() {
            return descriptors.size();
        }

        /**
         * Checks how many have come with the answer; closes them if these are not as many.
         *
         * @throws PmException if so: this process has no room for them.
         */
        void expectDescriptors(final int count) throws PmException {
            if (descriptors.size() != count) {
                final int received = descriptors.size();
                closeDescriptors();
                throw new PmException(
                        "the node on "
                                + path
                                + " passed "
                                + received
                                + " descriptors instead of "
                                + count
                                + ": raise the limit of open files (ulimit -n)");
            }
        }

        void closeDescriptors() {
            descriptors.forEach(Descriptors::close);
            descriptors = List.of();
        }

        /** Nobody wants the answer any more. */
        void forget() {
            lock.lock();
            try {
                asked.remove(this);
                closeDescriptors();
            } finally {
                lock.unlock();
            }
        }

        /**
         * What the node has answered.
         *
         * @throws PmException if it refuses, is gone, or has answered nonsense.
         */
        AttachMessage answer() throws PmException {
            if (answer == null) {
                throw PmException.nodeMissing("the node on " + path + " is gone", null);
            }
            final String problem = answer.problem(lengthBytes);
            if (problem != null || !answer.isReply() || answer.type() != type) {
                closeDescriptors();
                throw new PmException(
                        "the node on "
                                + path
                                + " sent "
                                + (problem != null ? problem : "an unexpected reply"));
            }
            if (answer.isRefusal()) {
                closeDescriptors();
                throw new PmException("the node on " + path + " refuses: " + answer.text());
            }
            return answer;
        }

        /** True if the node refuses, and may grant the same request soon. */
        boolean isRefusedForNow() {
            return answer != null && answer.isRefusal() && answer.isForNow();
        }

        /**
         * Waits for the answer.
         *
         * @return as {@link #answer}.
         * @throws PmException as {@link #answer}, or if there is none in time; then {@link #isOver}
         *     is false, and the node may still do what it was asked for.
         */
        AttachMessage await() throws PmException {
            NodeRequests.this.await(this);
            return answer();
        }
    }

    /**
     * Makes the first request; all later ones have the version of its answer.
     *
     * @return the request, with its answer and descriptors.
     */
    Asked greet() throws PmException {
        final Asked hello = ask(new AttachMessage().hello());
        final AttachMessage answer = hello.await();
        lock.lock();
        try {
            greeting = answer;
            sending.useVersionOf(answer);
        } finally {
            lock.unlock();
        }
        return hello;
    }

    /** A request in the version that both sides support. */
    AttachMessage request(final int type, final long... arguments) {
        final AttachMessage request = new AttachMessage().useVersionOf(greeting).request(type);
        for (int i = 0; i < arguments.length; i++) {
            request.argument(i, arguments[i]);
        }
        return request;
    }

    /**
     * Has the node do something, and waits until it is done.
     *
     * @return the answer, with which no descriptors come.
     */
    AttachMessage perform(final int type, final long... arguments) throws PmException {
        final Asked asked = ask(request(type, arguments));
        final AttachMessage answer = asked.await();
        asked.expectDescriptors(0);
        return answer;
    }

    /**
     * Sends a request; its answer is taken when it is there. Never waits.
     *
     * @param descriptors passed along; they stay open here.
     * @throws PmException if the node takes no requests now.
     */
    Asked ask(final AttachMessage request, final int... descriptors) throws PmException {
        lock.lock();
        try {
            return send(request, descriptors);
        } catch (final LinuxException e) {
            throw new PmException(
                    "cannot communicate with the node on " + path + ": " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private Asked send(final AttachMessage request, final int... descriptors)
            throws PmException, LinuxException {
        if (isClosed) {
            throw new IllegalStateException("the device is closed");
        }
        if (!sendUnsent()) {
            throw silent("does not take requests");
        }
        request.number(++requests);
        final Asked made = new Asked(requests, request.type());
        final int sent = socket.send(request.address(), AttachMessage.LENGTH_BYTES, descriptors);
        if (sent == UnixSocket.WOULD_BLOCK) {
            throw silent("does not take requests");
        }
        // A node that has closed the connection may have sent the reason before.
        asked.add(made);
        return made;
    }

    private void await(final Asked wanted) throws PmException {
        lock.lock();
        calls++;
        try {
            if (!isReading) {
                receiveAll();
            }
            awaitAnswer(wanted);
        } catch (final LinuxException e) {
            throw new PmException(
                    "cannot communicate with the node on " + path + ": " + e.getMessage(), e);
        } finally {
            calls--;
            answered.signalAll();
            lock.unlock();
        }
    }

    private void awaitAnswer(final Asked wanted) throws PmException, LinuxException {
        final long startNs = System.nanoTime();
        boolean isInterrupted = false;
        try {
            while (!wanted.isAnswered) {
                final long leftNs = timeoutMs * MS_NS - (System.nanoTime() - startNs);
                if (leftNs <= 0) {
                    asked.remove(wanted);
                    throw silent("has not answered within " + timeoutMs + " ms");
                }
                if (isReading) {
                    isInterrupted |= !sleepWhileOneReads(wanted, leftNs);
                } else {
                    readOnce(leftNs);
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sleeps while another thread reads; false if it was interrupted. */
    private boolean sleepWhileOneReads(final Asked wanted, final long timeoutNs) {
        long leftNs = timeoutNs;
        try {
            while (isReading && !wanted.isAnswered && leftNs > 0) {
                leftNs = answered.awaitNanos(leftNs);
            }
            return true;
        } catch (final InterruptedException e) {
            return false;
        }
    }

    // Others that wait go on when this thread has read, for all of them.
    private void readOnce(final long leftNs) throws LinuxException {
        isReading = true;
        lock.unlock();
        try {
            poll.await(leftNs);
        } finally {
            lock.lock();
            isReading = false;
            receiveAll();
            answered.signalAll();
        }
    }

    /** Takes the answers that have come, for the threads that wait for them. Never waits. */
    void takeAnswers() {
        lock.lock();
        try {
            if (!isReading && !isClosed) {
                receiveAll();
            }
        } catch (final LinuxException e) {
            endAll();
        } finally {
            lock.unlock();
        }
    }

    private void receiveAll() throws LinuxException {
        int length = receive();
        while (length > 0) {
            final Asked whose = find(length);
            if (whose == null) {
                drop();
            } else {
                whose.answer = received;
                whose.lengthBytes = length;
                whose.descriptors = takeDescriptors();
                received = new AttachMessage();
                whose.isAnswered = true;
            }
            length = receive();
        }
        if (length == UnixSocket.CLOSED) {
            endAll();
        }
    }

    private int receive() throws LinuxException {
        return isClosed
                ? UnixSocket.CLOSED
                : socket.receive(received.address(), AttachMessage.LENGTH_BYTES, false);
    }

    private void endAll() {
        asked.forEach(one -> one.isAnswered = true);
        asked.clear();
    }

    // What is no message of ours is an answer to the oldest request.
    private Asked find(final int lengthBytes) {
        if (received.problem(lengthBytes) != null) {
            return asked.poll();
        }
        for (final Asked one : asked) {
            if (one.number == received.number()) {
                asked.remove(one);
                return one;
            }
        }
        return null;
    }

    // The answer to a request that timed out: a key that the caller never got is revoked.
    private void drop() throws LinuxException {
        socket.closeReceivedDescriptors();
        if (received.isReply() && received.type() == AttachMessage.SHARE && !received.isRefusal()) {
            final long key = received.argument(0);
            sending.request(AttachMessage.REVOKE).argument(0, key).number(++requests);
            socket.send(sending.address(), AttachMessage.LENGTH_BYTES);
        }
    }

    private List<Integer> takeDescriptors() {
        final List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < socket.receivedDescriptors(); i++) {
            taken.add(socket.receivedDescriptor(i));
        }
        return taken;
    }

    /**
     * Sends the node a message that needs no answer. A node that has ended needs none; if the
     * socket is full, the message is sent later, before any other. Never waits.
     */
    void send(final int type, final long argument) {
        lock.lock();
        try {
            unsent.add(new long[] {type, argument});
            sendUnsent();
        } catch (final LinuxException e) {
            unsent.clear();
        } finally {
            lock.unlock();
        }
    }

    /** False if the node still does not take it. */
    private boolean sendUnsent() throws LinuxException {
        while (!unsent.isEmpty() && !isClosed) {
            final long[] what = unsent.peek();
            sending.request((int) what[0]).argument(0, what[1]).number(++requests);
            if (socket.send(sending.address(), AttachMessage.LENGTH_BYTES)
                    == UnixSocket.WOULD_BLOCK) {
                return false;
            }
            unsent.poll();
        }
        return true;
    }

    private PmException silent(final String what) throws LinuxException {
        return new PmException(
                "the node on " + path + " " + what + ": " + StoppedNode.describe(socket.peer()));
    }

    /** Ends the requests of other threads, and closes the socket when these have noted it. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            socket.shutDown();
            while (calls > 0) {
                answered.awaitUninterruptibly();
            }
            isClosed = true;
            endAll();
            socket.close();
            poll.close();
        } finally {
            lock.unlock();
        }
    }
}
