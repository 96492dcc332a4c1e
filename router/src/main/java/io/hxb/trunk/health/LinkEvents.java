package io.hxb.trunk.health;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Hands the events of a node's links to everybody who wants them. Any thread may add and tell. */
public final class LinkEvents {
    private final List<LinkListener> listeners = new CopyOnWriteArrayList<>();

    /** Tells {@code listener} of everything from now on. */
    public void add(final LinkListener listener) {
        listeners.add(listener);
    }

    /** Tells {@code listener} no more. */
    public void remove(final LinkListener listener) {
        listeners.remove(listener);
    }

    /** Tells every listener, one after another. */
    public void tell(final LinkEvent event) {
        for (final LinkListener listener : listeners) {
            listener.onLinkEvent(event);
        }
    }
}
