package io.hxb.pm;

/** Called for links that fail and recover, see {@link PmDevice#onLinkEvent}. */
@FunctionalInterface
public interface PmLinkListener {
    /**
     * A link has changed. Called by the thread that waits or polls; it must not do so itself.
     *
     * @param event what has changed.
     */
    void onLinkEvent(PmLinkEvent event);
}
