package io.hxb.manager;

import io.netty.channel.Channel;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Connections that have not begun a session yet. Each has {@value #LIMIT_SECONDS} s for that. When
 * there are too many, the oldest one is closed, so that a flood of them does not keep out clients
 * with a key. Owned by the manager's thread.
 */
final class UnknownSenders {
    /** Connections that may be without a session at once. */
    static final int MAX = 64;

    /** Seconds that a connection has. */
    static final int LIMIT_SECONDS = 5;

    private final Set<Channel> channels = new LinkedHashSet<>();
    private final ManagerCounts counts;

    UnknownSenders(final ManagerCounts counts) {
        this.counts = counts;
    }

    /** Someone has connected. */
    void add(final Channel channel) {
        if (channels.size() == MAX) {
            drop(channels.iterator().next());
        }
        channels.add(channel);
        final var ignored =
                channel.eventLoop().schedule(() -> drop(channel), LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void drop(final Channel channel) {
        if (channels.remove(channel)) {
            counts.add(ManagerCount.DROPPED_STRANGERS);
            final var ignored = channel.close();
        }
    }

    /** It has begun a session, or is gone. */
    void remove(final Channel channel) {
        channels.remove(channel);
    }
}
