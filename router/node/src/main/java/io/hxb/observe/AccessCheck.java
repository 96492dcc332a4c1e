package io.hxb.observe;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Optional;

/**
 * Who may look, and what they may see: programs that show the token of operators, browsers with a
 * session, and everybody on this machine. Owned by the server's thread.
 *
 * <p>A page of some site whose name leads here (DNS rebinding), or which asks for what is here, is
 * refused by the headers Host and Origin, and there are no headers that would let it read answers.
 */
final class AccessCheck {
    private static final String BEARER = "bearer ";
    private static final int MAX_HOST = 300;

    private final Optional<AccessToken> token;
    private final Optional<WebSessions> sessions;

    /**
     * The outcome. Immutable.
     *
     * @param viewer what may be seen, if anything.
     * @param status of HTTP if nothing may be seen, otherwise 0.
     * @param words why not.
     */
    record Verdict(Viewer viewer, int status, String words) {
        private static Verdict of(final Viewer viewer) {
            return new Verdict(viewer, 0, "");
        }

        private static Verdict refused(final HttpResponseStatus status, final String words) {
            return new Verdict(Viewer.PUBLIC, status.code(), words);
        }

        boolean isAllowed() {
            return status == 0;
        }
    }

    AccessCheck(final Optional<AccessToken> token, final Optional<WebSessions> sessions) {
        this.token = token;
        this.sessions = sessions;
    }

    Verdict check(final Channel channel, final HttpHeaders headers) {
        final InetSocketAddress local = (InetSocketAddress) channel.localAddress();
        final String given = headers.get(HttpHeaderNames.AUTHORIZATION, "");
        if (!given.isEmpty()) {
            // A program that has the token, perhaps behind a proxy of some name.
            return isToken(given)
                    ? Verdict.of(Viewer.OPERATOR)
                    : Verdict.refused(HttpResponseStatus.UNAUTHORIZED, "the token is wrong");
        }
        final String host = headers.get(HttpHeaderNames.HOST, "");
        if (!isOurs(host, local.getAddress())) {
            return Verdict.refused(
                    HttpResponseStatus.FORBIDDEN, "call it localhost or by its address");
        }
        if (!isSame(headers.get(HttpHeaderNames.ORIGIN), host)) {
            return Verdict.refused(
                    HttpResponseStatus.FORBIDDEN, "pages of other sites get no answers");
        }
        final Optional<Viewer> session =
                session(headers.get(HttpHeaderNames.COOKIE, ""), local.getPort());
        if (session.isPresent()) {
            return Verdict.of(session.get());
        }
        return ((InetSocketAddress) channel.remoteAddress()).getAddress().isLoopbackAddress()
                ? Verdict.of(Viewer.PUBLIC)
                : Verdict.refused(
                        HttpResponseStatus.UNAUTHORIZED,
                        "beyond this machine a token is needed: Authorization: Bearer TOKEN");
    }

    private boolean isToken(final String given) {
        return given.toLowerCase(Locale.ROOT).startsWith(BEARER)
                && token.filter(each -> each.isSame(given.substring(BEARER.length()).strip()))
                        .isPresent();
    }

    private Optional<Viewer> session(final String cookies, final int port) {
        if (sessions.isEmpty() || cookies.isEmpty()) {
            return Optional.empty();
        }
        return ServerCookieDecoder.STRICT.decode(cookies).stream()
                .filter(cookie -> cookie.name().equals(WebSessions.cookieName(port)))
                .flatMap(cookie -> sessions.get().viewer(cookie.value()).stream())
                .findFirst();
    }

    private static boolean isOurs(final String host, final InetAddress local) {
        if (host.length() > MAX_HOST) {
            return false;
        }
        final String name = host.replaceFirst(":\\d{1,5}$", "");
        if (name.equalsIgnoreCase("localhost")) {
            return true;
        }
        try {
            final InetAddress address = InetAddress.ofLiteral(name);
            return address.isLoopbackAddress() || address.equals(local);
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    /** Browsers send it with requests of scripts; a proxy may have added TLS. */
    private static boolean isSame(final String origin, final String host) {
        return origin == null
                || origin.equalsIgnoreCase("http://" + host)
                || origin.equalsIgnoreCase("https://" + host);
    }
}
