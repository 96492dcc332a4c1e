package io.hxb.node.loop;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

/**
 * A descriptor registered with a loop, as Netty knows it. Closing it leaves the descriptor open,
 * which belongs to its opener. Called by the loop's thread.
 */
final class DescriptorHandle implements EpollIoHandle {
    private static final int ERROR_OR_HANG_UP = 0x8 | 0x10; // EPOLLERR, EPOLLHUP

    private final FileDescriptor descriptor;
    private final LoopDriver loop;
    private final ReadinessListener listener;

    DescriptorHandle(
            final int descriptor, final LoopDriver loop, final ReadinessListener listener) {
        this.descriptor = new FileDescriptor(descriptor);
        this.loop = loop;
        this.listener = listener;
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(final IoRegistration registration, final IoEvent event) {
        final int ready = ((EpollIoEvent) event).ops().value();
        final boolean isError = (ready & ERROR_OR_HANG_UP) != 0;
        loop.onReady(
                listener,
                isError || (ready & EpollIoOps.EPOLLIN.value()) != 0,
                isError || (ready & EpollIoOps.EPOLLOUT.value()) != 0);
    }

    @Override
    public void close() {
        // The owner of the descriptor closes it.
    }
}
