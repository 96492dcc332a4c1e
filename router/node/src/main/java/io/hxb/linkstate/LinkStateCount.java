package io.hxb.linkstate;

/** What {@link LinkStates} counts. */
public enum LinkStateCount {
    /** Records of this node: changes, and refreshes. */
    PUBLISHED,
    /** Records sent to a neighbour for the first time. */
    SENT,
    /** Records sent again, because the neighbour had not acknowledged them in time. */
    SENT_AGAIN,
    /** Acknowledgements sent. */
    ACKNOWLEDGED,
    /** Records received that were newer than what was known. */
    TAKEN,
    /** Records received that were known. */
    KNOWN,
    /** Records received that were older than what was known; they are answered with that. */
    OUTDATED,
    /** Newer records of this node than it had made, of an earlier start or forged. */
    OUTDONE,
    /** Records received of a node number that another identity claims, too. */
    CLAIMED_TWICE,
    /** Records that were forgotten, because their nodes had not refreshed them. */
    FORGOTTEN,
    /** Frames of nodes that are no neighbours now. */
    NO_NEIGHBOUR,
    /** Frames beyond what a neighbour may send. */
    TOO_MANY,
    /** Entries of node numbers that the cluster does not have, and records that are too old. */
    REFUSED,
    /** Records that were too long for a frame to a neighbour. */
    TOO_LONG,
    /** Adjacencies of this node beyond those that a record holds. */
    LEFT_OUT
}
