package io.hxb.trunk.health;

/**
 * Told of links to neighbours that fail and recover. Called by whichever loop noticed, while the
 * health of the trunks is locked: it returns at once and does not call back.
 */
@FunctionalInterface
public interface LinkListener {
    /** The state of a link to a neighbour has changed; the port says so already. */
    void onLinkEvent(LinkEvent event);
}
