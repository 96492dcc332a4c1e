package io.hxb.manager;

import io.netty.channel.ChannelHandlerContext;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A request that is answered when paths change, or after {@value #LIMIT_SECONDS} s. Owned by the
 * manager's thread.
 */
final class LongPoll {
    private static final int LIMIT_SECONDS = 30;

    private Future<?> limit;
    private int polls;

    /** Nothing is waited for. */
    LongPoll() {}

    /**
     * Begins to wait.
     *
     * @param action answers; run once, unless the connection ends before.
     */
    void begin(
            final ChannelHandlerContext context,
            final HostManager manager,
            final ManagerSession session,
            final Runnable action) {
        final int number = ++polls;
        final Runnable end = () -> end(context, number, action);
        session.onChange(() -> context.executor().execute(end));
        manager.watch(session);
        limit = context.executor().schedule(end, LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void end(final ChannelHandlerContext context, final int number, final Runnable action) {
        if (limit != null && number == polls && context.channel().isActive()) {
            cancel();
            action.run();
        }
    }

    /** Nothing is waited for any more. */
    void cancel() {
        if (limit != null) {
            limit.cancel(false);
            limit = null;
        }
    }
}
