package io.hxb.link.raw;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.os.nic.NicFinder;
import io.hxb.os.nic.NicRequest;

/**
 * What a raw link is made from. Immutable.
 *
 * @param index number of the link in its node, from 0.
 * @param nic selector of the NIC, see {@link NicFinder}.
 * @param namespace name or path of its network namespace, null for the node's own.
 * @param dimension dimension the link lies in, 0 to 7.
 * @param coordinates this node's coordinates, one byte a dimension, dimension 0 lowest.
 * @param frame EtherTypes, and whether IEEE 802.1Q tags are recovered. The socket then receives
 *     before the kernel's ingress traffic control, which costs little; otherwise the kernel hands
 *     over untagged frames only.
 * @param socket sizes of the ring and of the buffers of the sockets.
 */
public record RawLinkConfig(
        int index,
        String nic,
        String namespace,
        int dimension,
        long coordinates,
        FrameConfig frame,
        SocketConfig socket) {
    /** Checks the place of the link; the records of the cluster file have checked themselves. */
    public RawLinkConfig {
        check(NicRequest.isName(nic) || NicFinder.isLasting(nic), "nic", nic);
        check(dimension >= 0 && dimension < 8, "dimension", dimension);
        check(coordinates != FrameHeaderFlyweight.ANY_DESTINATION, "coordinates", coordinates);
    }

    private static void check(final boolean holds, final String field, final Object value) {
        if (!holds) {
            throw new IllegalArgumentException(field + " is out of range: " + value);
        }
    }
}
