package io.hxb.node.loop;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

import org.agrona.ErrorHandler;

/**
 * A descriptor registered with a loop. The descriptor itself belongs to whoever opened it: closing
 * the handle leaves it open. Called by the loop's thread.
 */
public abstract class DescriptorHandle implements EpollIoHandle {
    private static final int ERROR_OR_HANG_UP = 0x8 | 0x10; // EPOLLERR, EPOLLHUP

    private final FileDescriptor descriptor;
    private final ErrorHandler errorHandler;

    protected DescriptorHandle(final int descriptor, final ErrorHandler errorHandler) {
        this.descriptor = new FileDescriptor(descriptor);
        this.errorHandler = errorHandler;
    }

    /** The descriptor is ready; errors make it both readable and writable. */
    protected abstract void onReady(boolean isReadable, boolean isWritable);

    @Override
    public final FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public final void handle(final IoRegistration registration, final IoEvent event) {
        final int ready = ((EpollIoEvent) event).ops().value();
        final boolean isError = (ready & ERROR_OR_HANG_UP) != 0;
        try {
            onReady(
                    isError || (ready & EpollIoOps.EPOLLIN.value()) != 0,
                    isError || (ready & EpollIoOps.EPOLLOUT.value()) != 0);
        } catch (final RuntimeException | Error e) {
            // Netty would stop the loop for a second.
            errorHandler.onError(e);
        }
    }

    @Override
    public final void close() {
        // The owner of the descriptor closes it.
    }
}
