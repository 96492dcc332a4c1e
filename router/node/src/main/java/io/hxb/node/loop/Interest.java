package io.hxb.node.loop;

import io.netty.channel.epoll.EpollIoOps;

/** What a loop waits for at a descriptor. */
public enum Interest {
    /** Something can be read. */
    READABLE(EpollIoOps.EPOLLIN.value()),

    /** Something new can be read: what was left unread is not reported again. */
    NEWLY_READABLE(EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLET).value()),

    /** Something can be written. */
    WRITABLE(EpollIoOps.EPOLLOUT.value());

    private final int epollEvents;

    Interest(final int epollEvents) {
        this.epollEvents = epollEvents;
    }

    EpollIoOps ops() {
        return EpollIoOps.valueOf(epollEvents);
    }
}
