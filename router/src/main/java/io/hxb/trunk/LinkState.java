package io.hxb.trunk;

/** What a node thinks of one link to one neighbour. */
public enum LinkState {
    /** The neighbour has not been heard there yet. */
    UNKNOWN,

    /** Frames pass in both directions: the link is used. */
    GOOD,

    /** Frames do not pass, or too few: the link is left out until heartbeats pass again. */
    FAILED
}
