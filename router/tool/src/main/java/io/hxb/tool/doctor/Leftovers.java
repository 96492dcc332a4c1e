package io.hxb.tool.doctor;

import io.hxb.linux.Descriptors;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicMark;

import java.io.IOException;
import java.util.List;

/** What nodes that were killed have left changed at a NIC. Stateless. */
final class Leftovers {
    private static final NicFeature FEATURE = NicFeature.UDP_GRO_FORWARDING;

    private Leftovers() {}

    /**
     * The processes that have marked a NIC and are no more.
     *
     * @param namespace of the NIC, null for that of this process.
     */
    static List<Long> dead(final String namespace, final String nic) throws IOException {
        return NicMark.owners(namespace, ifindex(namespace, nic)).stream()
                .filter(pid -> ProcessHandle.of(pid).isEmpty())
                .toList();
    }

    /**
     * Puts it back, and removes their marks. A node that runs has a mark of its own, and switches
     * off itself what it needs until then.
     *
     * @param dead as from {@link #dead}.
     */
    static void putBack(final String namespace, final String nic, final List<Long> dead)
            throws IOException {
        final int ifindex = ifindex(namespace, nic);
        if (dead.containsAll(NicMark.owners(namespace, ifindex))) {
            NetworkNamespace.run(
                    namespace,
                    () -> {
                        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                        try {
                            return FEATURE.set(fd, nic, false);
                        } finally {
                            Descriptors.close(fd);
                        }
                    });
        }
        for (final long pid : dead) {
            NicMark.remove(namespace, ifindex, pid);
        }
    }

    private static int ifindex(final String namespace, final String nic) throws IOException {
        return NetworkNamespace.run(namespace, () -> NicInfo.read(nic)).ifindex();
    }
}
