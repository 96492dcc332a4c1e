package io.hxb.manager;

import java.io.IOException;

/**
 * A session with a manager, as programs see it: requests are begun by {@link #request}, ended by
 * {@link #post}, and answered in order. Owned by one thread.
 */
public interface ManagerConnection extends AutoCloseable {
    /** The next request, empty but for its operation; valid until it is ended. */
    ManagerMessage request(ManagerOperation operation);

    /** Requests that have no answer yet; at most {@link ManagerClient#MAX_UNANSWERED}. */
    int unanswered();

    /** Ends the request. */
    void post();

    /**
     * Waits for the next answer to what was posted.
     *
     * @return the reply, valid until the next one.
     * @throws IOException if the manager has gone, or does not answer in time.
     */
    ManagerMessage receive() throws IOException;

    /** Ends the request and waits for its answer; as {@link #receive}. */
    default ManagerMessage exchange() throws IOException {
        post();
        return receive();
    }

    @Override
    void close() throws IOException;
}
