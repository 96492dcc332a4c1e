package io.hxb.linkstate;

import java.util.List;

/**
 * One link of this node, and who is there. Immutable.
 *
 * @param mtuBytes its MTU.
 * @param capacityMbps what it claims to carry, Mbit/s; 0 if that is not known.
 * @param partners nodes that frames are exchanged with over it, in the order of their numbers.
 */
public record NodeLink(int mtuBytes, int capacityMbps, List<Integer> partners) {
    /** Copies the list. */
    public NodeLink {
        partners = List.copyOf(partners);
    }
}
