package io.hxb.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.Queue;

/** Bytes that wait for viewers: connections that take nothing until the test lets them. */
@Tag("unit")
class ConnectionBoundsTest {
    private static final int MAX_WAITING_BYTES = 3_000;

    private final ConnectionBounds bounds = new ConnectionBounds(MAX_WAITING_BYTES);

    /** A connection whose other end reads when the test says so. */
    private static final class Connection extends ChannelOutboundHandlerAdapter {
        private final Queue<ChannelPromise> written = new ArrayDeque<>();
        private final EmbeddedChannel channel =
                new EmbeddedChannel(this, new ChannelInboundHandlerAdapter());
        private final EventStream stream;

        Connection(final ConnectionBounds bounds) {
            stream = new EventStream(channel.pipeline().lastContext(), bounds, true);
            bounds.take(channel);
            bounds.begin(stream);
        }

        @Override
        public void write(
                final ChannelHandlerContext context,
                final Object message,
                final ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            written.add(promise);
        }

        void readAll() {
            while (!written.isEmpty()) {
                written.remove().setSuccess();
            }
        }

        boolean send(final int bytes) {
            return stream.send(new byte[bytes]);
        }

        boolean hasGone() {
            channel.runPendingTasks();
            return !channel.isOpen();
        }
    }

    @Test
    void shouldCloseTheSlowestWhenTooMuchWaitsForAllTogether() {
        // given
        final Connection first = new Connection(bounds);
        final Connection second = new Connection(bounds);
        final Connection slowest = new Connection(bounds);
        assertTrue(first.send(900));
        assertTrue(second.send(1_000));
        assertTrue(slowest.send(1_100));
        // when: one byte more than may wait, for another one
        assertTrue(first.send(1));
        // then
        assertTrue(slowest.hasGone());
        assertFalse(slowest.stream.isOpen());
        assertFalse(first.hasGone());
        assertFalse(second.hasGone());
        // and: what waited for it has made room
        assertTrue(first.send(1_000));
        assertFalse(first.hasGone());
        assertFalse(second.hasGone());
    }

    @Test
    void shouldCloseTheSenderIfMostWaitsForIt() {
        // given
        final Connection other = new Connection(bounds);
        final Connection slowest = new Connection(bounds);
        assertTrue(other.send(1_000));
        // when and then
        assertFalse(slowest.send(2_001));
        assertTrue(slowest.hasGone());
        assertFalse(other.hasGone());
    }

    @Test
    void shouldCountWhatWasReadAsNoLongerWaiting() {
        // given
        final Connection reader = new Connection(bounds);
        final Connection other = new Connection(bounds);
        for (int i = 0; i < 10; i++) {
            // when
            assertTrue(reader.send(2_000));
            assertTrue(other.send(1_000));
            assertEquals(2_000, reader.stream.waitingBytes());
            reader.readAll();
            other.readAll();
            // then
            assertEquals(0, reader.stream.waitingBytes());
        }
        assertFalse(reader.hasGone());
        assertFalse(other.hasGone());
    }

    @Test
    void shouldCloseNobodyForWhatWasWrittenMeanwhile() {
        // given: all read as fast as they are sent to
        final Connection reader = new Connection(bounds);
        final Connection other = new Connection(bounds);
        assertTrue(reader.send(1_000));
        reader.readAll();
        // when: bytes are counted that wait for nobody any more
        bounds.add(MAX_WAITING_BYTES + 1);
        // then
        assertFalse(reader.hasGone());
        assertFalse(other.hasGone());
        assertTrue(reader.stream.isOpen());
        assertTrue(other.stream.isOpen());
    }

    @Test
    void shouldCloseOneForWhomTooMuchWaitsAlone() {
        // given
        final Connection alone = new Connection(new ConnectionBounds(Long.MAX_VALUE));
        // when: one that is longer than what may wait is taken while nothing waits
        assertTrue(alone.send(EventStream.MAX_WAITING_BYTES + 1));
        // then
        assertFalse(alone.send(1));
        assertTrue(alone.hasGone());
        assertEquals(0, alone.stream.waitingBytes());
    }
}
