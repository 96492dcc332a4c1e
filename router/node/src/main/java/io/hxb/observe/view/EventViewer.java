package io.hxb.observe.view;

/** One who gets the events of the network. Called by the thread that makes them. */
@FunctionalInterface
public interface EventViewer {
    /**
     * Hands over an event; must not block.
     *
     * @param event an event of a stream as the HTML standard defines it, blank line included; all
     *     viewers share the array, which nobody may change.
     * @return whether the viewer wants more; if not, it gets no further events.
     */
    boolean onEvent(byte[] event);
}
