package io.hxb.tool.tunnel;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.netty.HxbTransport;
import io.hxb.pm.stream.HxbSocketAddress;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;

import java.util.concurrent.TimeUnit;

/** Opens streams to what {@code hxb expose} of other nodes leads to. Used by the event loop. */
public final class StreamDial {
    private static final int CONNECT_MS = 10_000;

    /** Longer than {@code hxb expose} gives its own connection to the service. */
    private static final int ANSWER_MS = 15_000;

    private final ClusterConfig config;
    private final HxbTransport transport;
    private final WriteBufferWaterMark waterMark;

    /** Told once how a dial went, on the event loop. */
    public interface Listener {
        /**
         * The service is connected.
         *
         * @param stream not read until it is joined.
         */
        void onOpen(DuplexChannel stream);

        /** It is not, and nothing is left open. */
        void onFailure(DialFailure failure);
    }

    StreamDial(
            final ClusterConfig config,
            final HxbTransport transport,
            final WriteBufferWaterMark waterMark) {
        this.config = config;
        this.transport = transport;
        this.waterMark = waterMark;
    }

    /**
     * Opens a stream; does not block.
     *
     * @param loop on which the stream will be.
     * @param target node and port.
     */
    public void dial(final EventLoop loop, final HxbSocketAddress target, final Listener listener) {
        final String place = place(target);
        final AnswerReader reader =
                new AnswerReader(place, TimeUnit.MILLISECONDS.toNanos(ANSWER_MS), listener);
        new Bootstrap()
                .group(loop)
                .channelFactory(transport.client())
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark)
                .handler(reader)
                .connect(target)
                .addListener(
                        done -> {
                            if (!done.isSuccess()) {
                                reader.onNoConnection(
                                        DialFailure.of(place, target.port(), done.cause()));
                            }
                        });
    }

    /** How people call an address. */
    public String place(final HxbSocketAddress target) {
        return "node "
                + config.shape().format(config.shape().coordinates(target.node()))
                + " port "
                + target.port();
    }
}
