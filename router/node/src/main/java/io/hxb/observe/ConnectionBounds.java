package io.hxb.observe;

import io.netty.channel.Channel;

import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many connections a server has at a time, and how many bytes wait for those who watch.
 * Connections for requests and event streams have bounds of their own, so that many who watch leave
 * room for those who ask. Owned by the server's thread; any thread may call {@link #add}.
 */
final class ConnectionBounds {
    /** Connections at one time that are no event streams. */
    static final int MAX_REQUESTS = 256;

    /** Event streams at one time. */
    static final int MAX_STREAMS = 1_024;

    /** Bytes of events that may wait for all viewers together. */
    static final long MAX_WAITING_BYTES = 64 << 20;

    private final long maxWaitingBytes;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final AtomicLong waitingBytes = new AtomicLong();
    private int requests;

    /** Bounds with room for {@code maxWaitingBytes} of events. */
    ConnectionBounds(final long maxWaitingBytes) {
        this.maxWaitingBytes = maxWaitingBytes;
    }

    /** Counts a new connection, until it is closed; false if it is one too many. */
    boolean take(final Channel channel) {
        requests++;
        channel.closeFuture().addListener(closed -> requests--);
        return requests <= MAX_REQUESTS;
    }

    /** Counts a connection as a stream from now on; false if it is one too many. */
    boolean begin(final EventStream stream) {
        if (streams.size() >= MAX_STREAMS) {
            return false;
        }
        requests--;
        streams.add(stream);
        stream.onClose(
                () -> {
                    // The connection is counted off once more when it is closed.
                    requests++;
                    streams.remove(stream);
                });
        return true;
    }

    /** Sends a comment to viewers who got nothing lately. */
    void beat() {
        streams.forEach(EventStream::beat);
    }

    /**
     * Counts bytes that wait, or no longer wait. If too many do, the viewer for whom most wait is
     * closed; none if they were written meanwhile, so that nothing waits for anybody.
     */
    void add(final long bytes) {
        if (waitingBytes.addAndGet(bytes) > maxWaitingBytes && bytes > 0) {
            streams.stream()
                    .filter(EventStream::isOpen)
                    .max(Comparator.comparingLong(EventStream::waitingBytes))
                    .filter(slowest -> slowest.waitingBytes() > 0)
                    .ifPresent(EventStream::close);
        }
    }
}
