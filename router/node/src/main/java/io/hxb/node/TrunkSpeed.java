package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicFinder;
import io.hxb.os.nic.NicSpeed;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How fast the links of a node are together, as their NICs claim. Stateless. */
final class TrunkSpeed {
    private TrunkSpeed() {}

    /**
     * The sum over the links of the dimension where it is greatest, in the network namespace of the
     * calling thread.
     *
     * @return Mbit/s; 0 if none is known, as of UDP links.
     */
    static int megabits(final List<LinkConfig> links) throws LinuxException {
        final Map<Integer, Integer> sums = new HashMap<>();
        for (final LinkConfig link : links) {
            if (!link.nic().isEmpty()) {
                sums.merge(link.dimension(), speed(link.nic()), Integer::sum);
            }
        }
        return sums.values().stream().mapToInt(sum -> sum).max().orElse(0);
    }

    /**
     * What each link of a node claims to carry.
     *
     * @return Mbit/s, 0 where it is not known, {@code [links]}.
     */
    static int[] ofEach(final ClusterConfig config, final int node) {
        final List<LinkConfig> links = config.links(node);
        final int[] megabits = new int[links.size()];
        for (final LinkConfig link : links) {
            try {
                final String netns = config.netns(node);
                megabits[link.index()] =
                        NetworkNamespace.run(
                                netns.isEmpty() ? null : netns, () -> speed(link.nic()));
            } catch (final IOException e) {
                // It may be plugged later, or not tell; then it counts as the slowest.
                megabits[link.index()] = 0;
            }
        }
        return megabits;
    }

    private static int speed(final String nic) throws LinuxException {
        final String name = NicFinder.name(nic);
        return NicFinder.isLasting(name) ? 0 : NicSpeed.megabits(name);
    }
}
