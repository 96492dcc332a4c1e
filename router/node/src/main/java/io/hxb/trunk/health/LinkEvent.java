package io.hxb.trunk.health;

import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;

/**
 * A link to a neighbour failed, recovered, or was found; or the neighbour is a new incarnation, of
 * which nothing is known yet. Immutable.
 *
 * @param timeNs when, on the loops' clock.
 * @param linkIndex link of this node, from 0.
 * @param dimension dimension of the link, 0 to 7.
 * @param number number of the link in the trunk of its dimension, from 0.
 * @param neighbour coordinate of the neighbour in that dimension, 0 to 255.
 * @param state what the link is now; {@link LinkState#UNKNOWN} for a new incarnation.
 * @param reason why.
 * @param isLast true if the link failed and no other link of the trunk reaches the neighbour.
 * @param measured why it failed, in figures: for how many ns nothing had arrived, or, if it loses
 *     frames, how many, in hundredths of a percent. If it recovered, the time in ns for which it
 *     was left out; 0 if it was found.
 */
public record LinkEvent(
        long timeNs,
        int linkIndex,
        int dimension,
        int number,
        int neighbour,
        LinkState state,
        LinkReason reason,
        boolean isLast,
        long measured) {}
