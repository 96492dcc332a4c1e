package io.hxb.pm.netty;

import io.hxb.pm.stream.HxbStreams;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Joins Netty and the streams of one context. The first epoll event loop with which a channel is
 * registered also waits for the context, and serves all its channels, on whichever loop they are;
 * with event loops of other kinds the streams' own thread does. Any thread may call it.
 *
 * <pre>{@code
 * HxbTransport transport = new HxbTransport(streams);
 * new ServerBootstrap()
 *         .group(new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()))
 *         .channelFactory(transport.server())
 *         .childHandler(initializer)
 *         .bind(new HxbSocketAddress(node, 8080));
 * }</pre>
 */
@SuppressWarnings("exports") // Netty is optional, so that nobody else has to have it.
public final class HxbTransport {
    private static final long TICK_MS = 500;

    private final HxbStreams streams;
    private final Set<Channel> channels = new LinkedHashSet<>();
    private Driver driver;

    /**
     * Makes a transport.
     *
     * @param streams driven by nobody else; the caller closes them after all channels.
     */
    public HxbTransport(final HxbStreams streams) {
        this.streams = streams;
    }

    /** {@return a factory of channels for a Bootstrap} */
    public ChannelFactory<HxbChannel> client() {
        return () -> new HxbChannel(this);
    }

    /** {@return a factory of channels for a ServerBootstrap} */
    public ChannelFactory<HxbServerChannel> server() {
        return () -> new HxbServerChannel(this);
    }

    HxbStreams streams() {
        return streams;
    }

    /** A channel is registered; on its loop's thread. */
    void add(final Channel channel, final EventLoop loop) {
        final Driver begun;
        synchronized (this) {
            channels.add(channel);
            if (driver != null
                    || !(loop instanceof final IoEventLoop epoll)
                    || !epoll.isCompatible(Driver.Handle.class)) {
                return;
            }
            driver = new Driver(epoll);
            begun = driver;
        }
        begun.begin();
    }

    /** A channel is closed. */
    void remove(final Channel channel) {
        final Driver ended;
        synchronized (this) {
            if (!channels.remove(channel) || !channels.isEmpty() || driver == null) {
                return;
            }
            ended = driver;
            driver = null;
        }
        ended.end();
    }

    private void onLoopClosed(final Driver closed) {
        final List<Channel> open;
        synchronized (this) {
            if (!closed.equals(driver)) {
                return;
            }
            driver = null;
            open = new ArrayList<>(channels);
        }
        closed.end();
        for (final Channel channel : open) {
            if (channel.isRegistered() && channel.eventLoop().equals(closed.loop)) {
                channel.unsafe().close(channel.unsafe().voidPromise());
            }
        }
    }

    /** The loop's part in serving the streams. On its thread, except for {@link #end}. */
    private final class Driver {
        private final IoEventLoop loop;
        private final List<IoRegistration> registrations = new ArrayList<>();
        private ScheduledFuture<?> ticks;
        private boolean isEnded;

        Driver(final IoEventLoop loop) {
            this.loop = loop;
        }

        private void begin() {
            streams.beginDriving();
            register(streams.descriptor());
            register(streams.wakeDescriptor());
            ticks = loop.scheduleAtFixedRate(this::drive, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
            drive();
        }

        private void register(final int descriptor) {
            final Future<IoRegistration> registered = loop.register(new Handle(descriptor));
            final IoRegistration registration = registered.syncUninterruptibly().getNow();
            registration.submit(EpollIoOps.EPOLLIN);
            registrations.add(registration);
        }

        private void drive() {
            if (!isEnded) {
                streams.drive();
            }
        }

        private void end() {
            if (!isEnded) {
                isEnded = true;
                ticks.cancel(false);
                for (final IoRegistration registration : registrations) {
                    registration.cancel();
                }
                streams.endDriving();
            }
        }

        /** One of the two descriptors, which the streams close. */
        private final class Handle implements EpollIoHandle {
            private final FileDescriptor descriptor;

            Handle(final int descriptor) {
                this.descriptor = new FileDescriptor(descriptor);
            }

            @Override
            public FileDescriptor fd() {
                return descriptor;
            }

            @Override
            public void handle(final IoRegistration registration, final IoEvent event) {
                drive();
            }

            @Override
            public void close() {
                onLoopClosed(Driver.this);
            }
        }
    }
}
