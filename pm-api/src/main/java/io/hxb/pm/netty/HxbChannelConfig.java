package io.hxb.pm.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannelConfig;

import java.util.Map;

/**
 * Options of a channel: Netty's general ones, ALLOW_HALF_CLOSURE, and SO_LINGER, of which only 0
 * has a meaning: closing the channel resets the stream. Other options of TCP do not apply. Any
 * thread may call it.
 */
@SuppressWarnings("exports") // Netty is optional, so that nobody else has to have it.
public final class HxbChannelConfig extends DefaultChannelConfig implements DuplexChannelConfig {
    private final HxbChannel ownChannel;
    private volatile boolean isHalfClosureAllowed;
    private volatile int lingerSeconds = -1;

    HxbChannelConfig(final HxbChannel channel) {
        super(channel);
        ownChannel = channel;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(), ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.SO_LINGER);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(final ChannelOption<T> option) {
        if (ChannelOption.SO_LINGER.equals(option)) {
            return (T) Integer.valueOf(lingerSeconds);
        }
        return ChannelOption.ALLOW_HALF_CLOSURE.equals(option)
                ? (T) Boolean.valueOf(isHalfClosureAllowed)
                : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(final ChannelOption<T> option, final T value) {
        if (ChannelOption.ALLOW_HALF_CLOSURE.equals(option)) {
            validate(option, value);
            isHalfClosureAllowed = (Boolean) value;
            return true;
        }
        if (ChannelOption.SO_LINGER.equals(option)) {
            validate(option, value);
            lingerSeconds = (Integer) value;
            return true;
        }
        return super.setOption(option, value);
    }

    /** True if closing the channel resets the stream. */
    boolean isResetOnClose() {
        return lingerSeconds == 0;
    }

    @Override
    protected void autoReadCleared() {
        ownChannel.takeBackRead();
    }

    @Override
    public boolean isAllowHalfClosure() {
        return isHalfClosureAllowed;
    }

    @Override
    public HxbChannelConfig setAllowHalfClosure(final boolean isAllowed) {
        isHalfClosureAllowed = isAllowed;
        return this;
    }

    @Override
    @Deprecated
    public HxbChannelConfig setMaxMessagesPerRead(final int count) {
        super.setMaxMessagesPerRead(count);
        return this;
    }

    @Override
    public HxbChannelConfig setConnectTimeoutMillis(final int timeoutMs) {
        super.setConnectTimeoutMillis(timeoutMs);
        return this;
    }

    @Override
    public HxbChannelConfig setWriteSpinCount(final int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public HxbChannelConfig setAllocator(final ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public HxbChannelConfig setRecvByteBufAllocator(final RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public HxbChannelConfig setAutoRead(final boolean isAutomatic) {
        super.setAutoRead(isAutomatic);
        return this;
    }

    @Override
    public HxbChannelConfig setAutoClose(final boolean isAutomatic) {
        super.setAutoClose(isAutomatic);
        return this;
    }

    @Override
    public HxbChannelConfig setMessageSizeEstimator(final MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public HxbChannelConfig setWriteBufferWaterMark(final WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }
}
