package io.hxb.trunk.health;

/**
 * Called when links to neighbours fail and recover, by the loop that noticed, while the health of
 * the trunks is locked: it returns immediately and does not call back.
 */
@FunctionalInterface
public interface LinkListener {
    /** The state of a link to a neighbour has changed; the port shows it already. */
    void onLinkEvent(LinkEvent event);
}
