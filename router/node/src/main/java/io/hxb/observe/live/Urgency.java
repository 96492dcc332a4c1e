package io.hxb.observe.live;

/** How soon somebody should look at something, the least first. */
public enum Urgency {
    /** Somebody meant it. */
    STOPPED,
    /** It carries less than it could. */
    LESS,
    /** A node reports something about itself or its neighbours. */
    FINDING,
    /** A link carries nothing to somebody. */
    NOT_WORKING,
    /** A node is gone. */
    DEAD
}
