package io.hxb.trunk;

import io.hxb.session.Sessions;
import io.hxb.topology.Shape;

/**
 * Who this node is to its neighbours: what its hello frames carry, and what all its link-local
 * frames carry. There is one for each start of a node, as the incarnation differs. Immutable.
 *
 * @param shape shape of the hyper-crossbar.
 * @param here coordinate vector of this node.
 * @param clusterId id that all frames of this cluster carry.
 * @param fingerprint hash of what has to be equal in all nodes' cluster files.
 * @param incarnation of this node, never 0.
 * @param hostName name that people know this machine by.
 */
public record NodeIdentity(
        Shape shape, long here, int clusterId, int fingerprint, int incarnation, String hostName) {

    /** The identity in its frames. */
    public Sessions.Identity ofSession() {
        return new Sessions.Identity(shape, here, clusterId, incarnation);
    }
}
