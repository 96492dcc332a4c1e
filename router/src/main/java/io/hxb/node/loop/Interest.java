package io.hxb.node.loop;

import io.netty.channel.epoll.EpollIoOps;

/** What a loop waits for at a descriptor. */
public enum Interest {
    /** Something can be read. */
    READABLE(EpollIoOps.EPOLLIN),

    /** Something more than before can be read: what was left unread is not told of again. */
    NEWLY_READABLE(EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLET)),

    /** Something can be written. */
    WRITABLE(EpollIoOps.EPOLLOUT);

    private final EpollIoOps ops;

    Interest(final EpollIoOps ops) {
        this.ops = ops;
    }

    EpollIoOps ops() {
        return ops;
    }
}
