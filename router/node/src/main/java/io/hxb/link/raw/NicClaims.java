package io.hxb.link.raw;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFinder;
import io.hxb.os.nic.NicInfo;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps a second node of the same identity off the NICs of a node, wherever their sockets and
 * counters are: for each NIC it reserves the name of an abstract Unix socket in the network
 * namespace of the NIC, which is free again when the process ends, however it ends. Owned by the
 * thread that starts the node.
 *
 * <p>Any program may take such a name, so the name alone is not a reason to refuse: the NIC must
 * also have somebody else's packet socket, which requires CAP_NET_RAW. So a node takes the names
 * after it has opened its own. Source: unix(7), packet(7), /proc/net/packet.
 */
final class NicClaims implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(NicClaims.class);
    private static final int AF_UNIX = 1;
    private static final int MAX_NAME_BYTES = 107;
    private static final int PROTOCOL_FIELD = 3;
    private static final int NIC_FIELD = 4;
    private static final int USER_FIELD = 7;

    private final List<Integer> descriptors = new ArrayList<>();

    private NicClaims() {}

    /**
     * Takes the NICs of a node whose links are open.
     *
     * @param namespace name or path of their network namespace, null for the node's own.
     * @throws IOException if another node of this identity has one of them; the message explains
     *     what to do.
     */
    static NicClaims take(final ClusterConfig config, final int nodeId, final String namespace)
            throws IOException {
        final NicClaims claims = new NicClaims();
        try {
            NetworkNamespace.run(
                    namespace,
                    () -> {
                        for (final LinkConfig link : config.links(nodeId)) {
                            claims.claim(config, nodeId, link.nic());
                        }
                        return null;
                    });
            return claims;
        } catch (final IOException | RuntimeException e) {
            claims.close();
            throw e;
        }
    }

    /** Name of the abstract socket, without the 0 before it. */
    static String name(final ClusterConfig config, final int nodeId, final String nic) {
        return String.format("hxb/%08x/%d/%s", config.clusterId(), nodeId, nic);
    }

    private void claim(final ClusterConfig config, final int nodeId, final String nic)
            throws IOException {
        final int fd = Sockets.open(AF_UNIX, Sockets.SOCK_DGRAM, 0);
        descriptors.add(fd);
        try {
            bind(fd, name(config, nodeId, nic));
        } catch (final LinuxException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            final List<String> users = users(config, nic);
            // One is this node's own.
            if (users.size() > 1) {
                throw new IOException(
                        "a second node "
                                + nodeId
                                + " of cluster "
                                + config.name()
                                + ": one uses NIC "
                                + nic
                                + " already (packet sockets of users "
                                + String.join(", ", users)
                                + "); stop it, or give this one another place in the cluster",
                        e);
            }
            LOGGER.warn(
                    "a program that is not a node has taken the name {} of NIC {}: a second node of"
                            + " this identity would not be noticed",
                    name(config, nodeId, nic),
                    nic);
        }
    }

    private static void bind(final int fd, final String name) throws LinuxException {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, MAX_NAME_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment address = arena.allocate(3 + MAX_NAME_BYTES, 8);
            Memory.putShort(address.address(), AF_UNIX);
            MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 3, length);
            Sockets.bind(fd, address.address(), 3 + length, name);
        }
    }

    /**
     * Users of the packet sockets that receive what a node receives on that NIC, one entry per
     * socket.
     */
    private static List<String> users(final ClusterConfig config, final String nic)
            throws IOException {
        final int type =
                config.frame().vlanTags()
                        ? PacketSocket.ALL_ETHER_TYPES
                        : config.frame().etherType();
        final String protocol = String.format("%04x", type);
        final String number = Integer.toString(NicInfo.read(NicFinder.name(nic)).ifindex());
        // Of this thread, which may be the only one in the namespace.
        return Files.readAllLines(Path.of("/proc/thread-self/net/packet")).stream()
                .map(line -> line.strip().split("\\s+", -1))
                .filter(fields -> fields.length > USER_FIELD)
                .filter(fields -> fields[PROTOCOL_FIELD].equals(protocol))
                .filter(fields -> fields[NIC_FIELD].equals(number))
                .map(fields -> fields[USER_FIELD])
                .toList();
    }

    @Override
    public void close() {
        descriptors.forEach(Descriptors::close);
        descriptors.clear();
    }
}
