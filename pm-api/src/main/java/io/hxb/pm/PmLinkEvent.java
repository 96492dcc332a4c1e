package io.hxb.pm;

import io.hxb.pm.shm.LinkEventRing;

/**
 * A link of this machine's node to one neighbour failed, recovered or was found. Immutable.
 *
 * @param timeMs when the node noticed, in ms since 1970.
 * @param dimension dimension of the link, 0 to 7.
 * @param number number of the link in the trunk of its dimension, from 0.
 * @param neighbour node id of the neighbour at its other end.
 * @param isGood true if frames pass now, false if the link is left out.
 * @param isLast true if the link failed and no other link of this trunk reaches the neighbour:
 *     frames to it take other links.
 * @param reason a text with the reason.
 */
public record PmLinkEvent(
        long timeMs,
        int dimension,
        int number,
        int neighbour,
        boolean isGood,
        boolean isLast,
        String reason) {
    private static final String DIMENSION_NAMES = "xyzuvwst";

    static PmLinkEvent of(final LinkEventRing ring) {
        return new PmLinkEvent(
                ring.timeMs(),
                ring.dimension(),
                ring.number(),
                ring.node(),
                ring.isGood(),
                ring.isLast(),
                ring.reason());
    }

    /** {@return the name of the link: {@code x.0}} */
    public String link() {
        return DIMENSION_NAMES.charAt(dimension & 7) + "." + number;
    }
}
