package io.hxb.manager.control;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.Status;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Sessions with the manager of one host, one after the other: begun anew, less and less often,
 * after one has failed. Owned by the thread that works with the host.
 */
final class HostConnection {
    private final Connector connector;
    private final TrafficGauge gauge = new TrafficGauge();
    private final ReconnectBackoff backoff;
    private HostSession session;

    /** Without a session; the first may begin at once. */
    HostConnection(final Connector connector, final long nowNs) {
        this.connector = connector;
        backoff = new ReconnectBackoff(nowNs);
    }

    /** The session; null if there is none. */
    HostSession session() {
        return session;
    }

    /**
     * Begins a session.
     *
     * @param onRefused called with the reason why a change was refused.
     * @return the manager's answer to HELLO; null if it is too early to try again.
     */
    ManagerMessage connect(final Consumer<Status> onRefused, final long nowNs) throws IOException {
        if (!backoff.isDue(nowNs)) {
            return null;
        }
        session = new HostSession(connector.connect(), gauge, onRefused);
        return session.hello();
    }

    /** The session is of use. */
    void onSuccess() {
        backoff.onSuccess();
    }

    /** The next session may begin later. */
    void onFailure(final long nowNs) {
        backoff.onFailure(nowNs);
    }

    /**
     * Ends the session, if there is one.
     *
     * @return what went wrong with that; null if nothing did.
     */
    String close() {
        if (session == null) {
            return null;
        }
        try {
            session.close();
            return null;
        } catch (final IOException | RuntimeException e) {
            // It has ended all the same.
            return String.valueOf(e.getMessage());
        } finally {
            session = null;
        }
    }
}
