package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.SocketConfig;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.forward.kernel.KernelRelaySettings;
import io.hxb.link.raw.RawLink;
import io.hxb.linux.bpf.BpfProgram;
import io.hxb.trunk.Port;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;

/** Decides whether the kernel relays for a node. Stateless. */
final class KernelRelays {
    private static final Logger LOGGER = LoggerFactory.getLogger(KernelRelays.class);

    private KernelRelays() {}

    /**
     * Lets the kernel relay for a node, if that is wanted and possible.
     *
     * @return null where the node relays itself, or never has to: on a line nobody relays but on
     *     detours, which are the node's in any case.
     * @throws IOException if it is wanted and not possible; the message says what to do.
     */
    static KernelRelay open(final ClusterConfig config, final int nodeId, final List<Port> ports)
            throws IOException {
        final SocketConfig.KernelRelay wanted = config.socket().kernelRelay();
        if (wanted == SocketConfig.KernelRelay.OFF || config.shape().dimensions() == 1) {
            return null;
        }
        try {
            final String obstacle = obstacle(config, ports);
            if (!obstacle.isEmpty()) {
                throw new IOException(obstacle);
            }
            return KernelRelay.open(settings(config, nodeId), ports);
        } catch (final IOException e) {
            if (wanted == SocketConfig.KernelRelay.ON) {
                throw new IOException(
                        "socket.kernelRelay is on, but "
                                + e.getMessage()
                                + ": it needs Linux "
                                + BpfProgram.KERNEL
                                + " or newer, CAP_BPF and CAP_NET_ADMIN; or set it to auto",
                        e);
            }
            LOGGER.info("node {} relays frames itself: {}", nodeId, e.getMessage());
            return null;
        }
    }

    private static String obstacle(final ClusterConfig config, final List<Port> ports) {
        if (config.backend() != Backend.RAW) {
            return "its links are UDP sockets";
        }
        if (config.frame().vlanTags()) {
            return "frame.vlanTags lets sockets see frames before the kernel could relay them";
        }
        return ports.stream().allMatch(port -> port.link() instanceof RawLink)
                ? ""
                : "its frames are captured";
    }

    private static KernelRelaySettings settings(final ClusterConfig config, final int nodeId) {
        final String namespace = config.netns(nodeId);
        return new KernelRelaySettings(
                config.shape(),
                config.shape().coordinates(nodeId),
                config.clusterId(),
                config.frame().etherType(),
                config.frame().relayEtherType(),
                namespace.isEmpty() ? null : namespace);
    }
}
