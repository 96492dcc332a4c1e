package io.hxb.bench.soak;

import io.hxb.config.ClusterConfig;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Talks nonsense to the sockets of all nodes: requests in any order with any arguments, cut, with
 * descriptors that nobody wants, answers left unread. A thread of its own, because a node that
 * stands still keeps it waiting.
 */
final class SocketRubbish implements AutoCloseable {
    private static final long PAUSE_NS = 100_000_000;
    private static final long ANSWER_NS = 2_000_000;
    private static final long LIMIT_MS = 1_000;
    private static final int REQUESTS = 12;

    private final ClusterConfig config;
    private final SplittableRandom random;
    private final AtomicLong connections = new AtomicLong();
    private final Thread thread = new Thread(this::run, "rubbish");
    private volatile boolean isEnding;

    SocketRubbish(final ClusterConfig config, final SplittableRandom random) {
        this.config = config;
        this.random = random;
        thread.setDaemon(true);
        thread.start();
    }

    /** Connections so far. */
    long connections() {
        return connections.get();
    }

    private void run() {
        while (!isEnding) {
            final int node = random.nextInt(config.shape().nodeCount());
            try (UnixSocket socket = UnixSocket.connect(config.socketPath(node), LIMIT_MS)) {
                connections.incrementAndGet();
                talk(socket);
            } catch (final LinuxException e) {
                // The node is down, or has had enough.
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void talk(final UnixSocket socket) throws LinuxException {
        final AttachMessage message = new AttachMessage();
        boolean isGreeting = random.nextInt(4) != 0;
        for (int i = random.nextInt(REQUESTS); i >= 0; i--) {
            message.request(isGreeting ? AttachMessage.HELLO : random.nextInt(8));
            isGreeting = false;
            for (int argument = 0; argument < 8; argument++) {
                message.argument(argument, argument());
            }
            if (random.nextInt(6) == 0) {
                Memory.putLong(message.address() + random.nextInt(10) * 8L, random.nextLong());
            }
            final boolean isCut = random.nextInt(8) == 0;
            final int lengthBytes = isCut ? random.nextInt(512) : AttachMessage.LENGTH_BYTES;
            final int[] descriptors =
                    random.nextInt(3) == 0 ? new int[] {socket.descriptor()} : new int[0];
            if (socket.send(message.address(), lengthBytes, descriptors) <= 0) {
                return;
            }
            if (random.nextInt(3) != 0) {
                LockSupport.parkNanos(ANSWER_NS);
                socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
                socket.closeReceivedDescriptors();
            }
        }
    }

    private long argument() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> 1L << random.nextInt(40);
            default -> random.nextInt(300);
        };
    }

    @Override
    public void close() {
        isEnding = true;
        thread.interrupt();
    }
}
