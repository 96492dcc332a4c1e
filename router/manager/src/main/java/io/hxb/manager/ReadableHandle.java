package io.hxb.manager;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.unix.FileDescriptor;

/**
 * A descriptor that the manager's thread waits for, as Netty knows it. Closing it leaves the
 * descriptor open, which belongs to its opener.
 */
final class ReadableHandle implements EpollIoHandle {
    private final FileDescriptor descriptor;
    private final Runnable action;

    ReadableHandle(final int descriptor, final Runnable action) {
        this.descriptor = new FileDescriptor(descriptor);
        this.action = action;
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(final IoRegistration registration, final IoEvent event) {
        action.run();
    }

    @Override
    public void close() {
        // The owner of the descriptor closes it.
    }
}
