package io.hxb.manager;

import io.hxb.http.HttpPipeline;
import io.hxb.http.HttpRequestHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One HTTP connection: requests are answered one after the other. It ends when nothing was asked
 * for {@value #IDLE_SECONDS} s. Owned by the manager's thread.
 */
final class HttpHandler extends HttpRequestHandler {
    /** Seconds without requests after which a connection ends. */
    static final int IDLE_SECONDS = 60;

    private final ConnectionResources connectionResources;
    private final Access access;
    private final boolean isNetwork;
    private final LongPoll watch = new LongPoll();
    private ManagerSession session;
    private HttpFunctions functions;
    // The next request is asked for once the client has read some answers.
    private boolean isBehind;
    private boolean isClosing;

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
        askNext(context);
    }

    @Override
    protected void onRequest(final ChannelHandlerContext context, final FullHttpRequest http) {
        if (isClosing) {
            return;
        }
        if (access == Access.KEY) {
            connectionResources.count(ManagerCount.WITHOUT_KEY);
            refuse(context, HttpAnswer.FORBIDDEN, Status.KEY_NEEDED.text());
            return;
        }
        try {
            answer(context, HttpRequest.of(http));
        } catch (final HttpRequest.Malformed e) {
            connectionResources.count(ManagerCount.MALFORMED_CONNECTIONS);
            refuse(context, e.status(), e.getMessage());
        }
    }

    private void refuse(final ChannelHandlerContext context, final int status, final String text) {
        isClosing = true;
        final var ignored =
                context.writeAndFlush(
                        HttpPipeline.closing(response(HttpAnswer.error(status, text))));
    }

    private void answer(final ChannelHandlerContext context, final HttpRequest http) {
        if (isNetwork && !isLocal(http.host())) {
            // A page of some site whose name leads here must not read what is here.
            refuse(context, HttpAnswer.FORBIDDEN, "call it localhost or by its address");
        } else if (session == null && !begin(context)) {
            refuse(context, HttpAnswer.UNAVAILABLE, Status.LIMIT.text());
        } else if (isWatch(http)) {
            watch(context, http);
        } else {
            write(context, functions.answer(http));
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
                && http.path().equals(List.of(HttpFunctions.VERSION, "watch"));
    }

    private void watch(final ChannelHandlerContext context, final HttpRequest http) {
        final String after = http.query().getOrDefault("after", "0");
        if (!after.matches("\\d{1,18}")) {
            write(
                    context,
                    HttpAnswer.error(HttpAnswer.BAD_REQUEST, "after must be a number of changes"));
            return;
        }
        if (connectionResources.manager().changes() != Long.parseLong(after)) {
            writeChanges(context);
            return;
        }
        watch.begin(context, connectionResources.manager(), session, () -> writeChanges(context));
    }

    private void writeChanges(final ChannelHandlerContext context) {
        final Map<String, Object> content = new LinkedHashMap<>();
        content.put("ok", true);
        content.put("changes", connectionResources.manager().changes());
        write(context, new HttpAnswer(HttpAnswer.OK, content));
    }

    private void write(final ChannelHandlerContext context, final HttpAnswer answer) {
        final var ignored = context.writeAndFlush(response(answer));
        isBehind = !context.channel().isWritable();
        if (!isBehind) {
            askNext(context);
        }
    }

    private static FullHttpResponse response(final HttpAnswer answer) {
        return HttpPipeline.response(
                answer.status(), "application/json", HttpFunctions.text(answer));
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        if (isBehind && context.channel().isWritable()) {
            isBehind = false;
            askNext(context);
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        watch.cancel();
        if (session != null) {
            connectionResources.manager().close(session);
            session = null;
        }
        connectionResources.unknownSenders().remove(context.channel());
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        if (cause instanceof PrematureChannelClosureException) {
            // The client has gone in the middle of a request.
            final var ignored = context.close();
        } else {
            connectionResources.onError(context.channel(), cause);
        }
    }
}
