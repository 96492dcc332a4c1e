package io.hxb.manager.control;

import io.hxb.manager.ManagerConnection;

import java.io.IOException;

/** Connects to the manager of a host, again and again. Called by one thread at a time. */
@FunctionalInterface
public interface Connector {
    /**
     * Begins a session.
     *
     * @throws IOException if there is none now, with what to do.
     */
    ManagerConnection connect() throws IOException;
}
