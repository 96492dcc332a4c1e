package io.hxb.observe;

import java.util.function.IntSupplier;

/**
 * Where {@code hxb web} sends a browser: exchanges the ticket in the address for a cookie and leads
 * on to the page, so that the address in the browser's history is worth nothing. Owned by the
 * server's thread.
 */
public final class SessionEntry implements Resource {
    /** Its path. */
    public static final String PATH = "/enter";

    /** Name of the parameter with the ticket. */
    public static final String PARAMETER = "ticket";

    private final WebSessions sessions;
    private final IntSupplier port;

    SessionEntry(final WebSessions sessions, final IntSupplier port) {
        this.sessions = sessions;
        this.port = port;
    }

    @Override
    public void answer(final ResourceRequest request, final Response response) {
        // Programs that look at links ahead ask for the headers only.
        final String session =
                request.method().equals("GET")
                        ? sessions.session(request.query().getOrDefault(PARAMETER, ""))
                        : "";
        if (session.isEmpty()) {
            response.send(
                    403,
                    "text/plain; charset=utf-8",
                    "this address was used, or is too old: run hxb web again\n");
            return;
        }
        response.header(
                        "Set-Cookie",
                        WebSessions.cookieName(port.getAsInt())
                                + "="
                                + session
                                + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
                                + WebSessions.SESSION_TIME.toSeconds())
                .header("Location", "/")
                .send(303, "text/plain; charset=utf-8", "");
    }
}
