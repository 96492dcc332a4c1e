package io.hxb.manager;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One connection that speaks HTTP: requests are answered one after the other. It ends when nothing
 * was asked for {@value #IDLE_SECONDS} s. Owned by the manager's thread.
 */
final class HttpHandler extends ChannelInboundHandlerAdapter {
    private static final int IDLE_SECONDS = 60;
    private static final int WATCH_SECONDS = 30;
    private static final int MAX_BYTES =
            HttpRequest.MAX_HEAD_BYTES + HttpRequest.MAX_BODY_BYTES + 4;

    private final ConnectionResources connectionResources;
    private final Access access;
    private final boolean isNetwork;
    private ManagerSession session;
    private HttpFunctions functions;
    private ByteBuf rest;
    private Future<?> watch;
    private int watches;
    private boolean isClosing;
    private boolean hasAsked;

    /**
     * A connection that has begun with a letter.
     *
     * @param isNetwork true for TCP, where a browser can be made to call.
     */
    HttpHandler(
            final ConnectionResources connectionResources,
            final Access access,
            final boolean isNetwork) {
        this.connectionResources = connectionResources;
        this.access = access;
        this.isNetwork = isNetwork;
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        rest = context.alloc().buffer(256, MAX_BYTES);
        after(context, IDLE_SECONDS, () -> closeIfIdle(context));
    }

    private static void after(
            final ChannelHandlerContext context, final int seconds, final Runnable action) {
        final var ignored = context.executor().schedule(action, seconds, TimeUnit.SECONDS);
    }

    private void closeIfIdle(final ChannelHandlerContext context) {
        if (!hasAsked) {
            final var ignored = context.close();
        } else if (context.channel().isActive()) {
            hasAsked = false;
            after(context, IDLE_SECONDS, () -> closeIfIdle(context));
        }
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        try {
            if (isClosing) {
                return;
            }
            if (access == Access.KEY) {
                connectionResources.count(ManagerCount.WITHOUT_KEY);
                final String text = Status.KEY_NEEDED.text();
                write(context, HttpAnswer.error(HttpAnswer.FORBIDDEN, text), true);
                return;
            }
            if (rest.readableBytes() + in.readableBytes() > MAX_BYTES) {
                refuse(context, new HttpRequest.Malformed(413, "too much at once"));
                return;
            }
            if (rest.maxWritableBytes() < in.readableBytes()) {
                rest.discardReadBytes();
            }
            rest.discardSomeReadBytes().writeBytes(in);
            answerWaiting(context);
        } finally {
            in.release();
        }
    }

    /**
     * Answers what has arrived, one request after the other, until one waits for a change or the
     * client has too many answers to read. Never called by what it calls.
     */
    private void answerWaiting(final ChannelHandlerContext context) {
        try {
            HttpRequest http = next(context);
            while (http != null) {
                hasAsked = true;
                answer(context, http);
                http = next(context);
            }
        } catch (final HttpRequest.Malformed e) {
            connectionResources.count(ManagerCount.MALFORMED_CONNECTIONS);
            refuse(context, e);
        }
    }

    private HttpRequest next(final ChannelHandlerContext context) throws HttpRequest.Malformed {
        return watch == null && !isClosing && context.channel().isWritable()
                ? HttpRequest.take(rest)
                : null;
    }

    private void refuse(final ChannelHandlerContext context, final HttpRequest.Malformed e) {
        write(context, HttpAnswer.error(e.status(), e.getMessage()), true);
    }

    private void answer(final ChannelHandlerContext context, final HttpRequest http) {
        if (isNetwork && !isLocal(http.host())) {
            // A page of some site whose name leads here must not read what is here.
            write(
                    context,
                    HttpAnswer.error(HttpAnswer.FORBIDDEN, "call it localhost or by its address"),
                    true);
        } else if (session == null && !begin(context)) {
            write(context, HttpAnswer.error(HttpAnswer.UNAVAILABLE, Status.LIMIT.text()), true);
        } else if (isWatch(http)) {
            watch(context, http);
        } else {
            write(context, functions.answer(http), http.isLast());
        }
    }

    private static boolean isLocal(final String host) {
        return host.matches("(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1])(:\\d+)?");
    }

    private boolean begin(final ChannelHandlerContext context) {
        session = connectionResources.open(context.channel(), access == Access.CHANGE);
        if (session == null) {
            return false;
        }
        functions = new HttpFunctions(connectionResources.manager(), session);
        return true;
    }

    private static boolean isWatch(final HttpRequest http) {
        return http.method().equals("GET")
                && http.path().equals(java.util.List.of(HttpFunctions.VERSION, "watch"));
    }

    private void watch(final ChannelHandlerContext context, final HttpRequest http) {
        final String after = http.query().getOrDefault("after", "0");
        if (!after.matches("\\d{1,18}")) {
            write(
                    context,
                    HttpAnswer.error(HttpAnswer.BAD_REQUEST, "after is a number of changes"),
                    http.isLast());
            return;
        }
        if (connectionResources.manager().changes() != Long.parseLong(after)) {
            writeChanges(context, http);
            return;
        }
        final int number = ++watches;
        final Runnable end = () -> endWatch(context, http, number);
        session.onChange(() -> context.executor().execute(end));
        connectionResources.manager().watch(session);
        watch = context.executor().schedule(end, WATCH_SECONDS, TimeUnit.SECONDS);
    }

    private void writeChanges(final ChannelHandlerContext context, final HttpRequest http) {
        final Map<String, Object> content = new LinkedHashMap<>();
        content.put("ok", true);
        content.put("changes", connectionResources.manager().changes());
        write(context, new HttpAnswer(HttpAnswer.OK, content), http.isLast());
    }

    /** Answers because of a change or a timeout, unless that has been done. */
    private void endWatch(
            final ChannelHandlerContext context, final HttpRequest http, final int number) {
        if (watch != null && number == watches && context.channel().isActive()) {
            watch.cancel(false);
            watch = null;
            hasAsked = true;
            writeChanges(context, http);
            answerWaiting(context);
            context.flush();
        }
    }

    private void write(
            final ChannelHandlerContext context, final HttpAnswer answer, final boolean isLast) {
        final byte[] body = HttpFunctions.text(answer).getBytes(StandardCharsets.UTF_8);
        final String head =
                "HTTP/1.1 "
                        + answer.status()
                        + " "
                        + answer.reason()
                        + "\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length
                        + (isLast ? "\r\nConnection: close" : "")
                        + "\r\nCache-Control: no-store\r\n\r\n";
        final ByteBuf out = context.alloc().buffer(head.length() + body.length);
        ByteBufUtil.writeAscii(out, head);
        out.writeBytes(body);
        if (isLast) {
            isClosing = true;
            final ChannelFuture written = context.writeAndFlush(out);
            written.addListener(ChannelFutureListener.CLOSE);
        } else {
            final var ignored = context.write(out);
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        context.flush();
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        final boolean isWritable = context.channel().isWritable();
        context.channel().config().setAutoRead(isWritable);
        if (isWritable) {
            // Not now, in the middle of what has written.
            context.executor().execute(() -> goOn(context));
        }
    }

    private void goOn(final ChannelHandlerContext context) {
        if (context.channel().isActive()) {
            answerWaiting(context);
            context.flush();
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        if (watch != null) {
            watch.cancel(false);
            watch = null;
        }
        if (session != null) {
            connectionResources.manager().close(session);
            session = null;
        }
        connectionResources.strangers().remove(context.channel());
        rest.release();
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        connectionResources.onError(context.channel(), cause);
    }
}
