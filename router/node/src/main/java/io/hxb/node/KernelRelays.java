package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.SocketConfig;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.forward.kernel.RelayPrograms;
import io.hxb.link.LinkProvider;
import io.hxb.link.raw.RawLink;
import io.hxb.os.bpf.BpfProgram;
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
     * @return NONE where the node relays itself, or never has to: on the line of a hyper-crossbar
     *     frames are relayed only on detours, which the node does in any case.
     * @throws IOException if it is wanted and not possible; the message explains what to do.
     */
    static KernelRelay open(
            final ClusterConfig config,
            final int nodeId,
            final LinkProvider provider,
            final List<Port> ports)
            throws IOException {
        final SocketConfig.KernelRelay wanted = config.socket().kernelRelay();
        final boolean isNeeded = config.shape().dimensions() > 1 || config.shape().isAnyCabling();
        if (wanted == SocketConfig.KernelRelay.ON) {
            return openOrSayWhy(config, nodeId, provider, ports, isNeeded);
        }
        if (wanted == SocketConfig.KernelRelay.OFF
                || !isNeeded
                || provider.relayObstacle() != null) {
            return KernelRelay.NONE;
        }
        try {
            return openOrSayWhy(config, nodeId, provider, ports, true);
        } catch (final IOException e) {
            LOGGER.info("node {} relays frames itself: {}", nodeId, e.getMessage());
            return KernelRelay.NONE;
        }
    }

    private static KernelRelay openOrSayWhy(
            final ClusterConfig config,
            final int nodeId,
            final LinkProvider provider,
            final List<Port> ports,
            final boolean isNeeded)
            throws IOException {
        if (provider.relayObstacle() != null) {
            throw cannot(provider.relayObstacle(), "use raw links", null);
        }
        if (config.frame().vlanTags()) {
            throw cannot(
                    "frame.vlanTags lets sockets see frames before the kernel could relay them",
                    "set one of the two to off",
                    null);
        }
        if (!ports.stream().allMatch(port -> port.link() instanceof RawLink)) {
            throw cannot("its frames are captured", "capture nothing", null);
        }
        try {
            return isNeeded ? RelayPrograms.open(config, nodeId, ports) : KernelRelay.NONE;
        } catch (final IOException e) {
            throw cannot(
                    e.getMessage(),
                    "it needs Linux "
                            + BpfProgram.KERNEL
                            + " or newer, CAP_BPF and CAP_NET_ADMIN; hxb doctor tries it",
                    e);
        }
    }

    private static IOException cannot(
            final String why, final String whatToDo, final IOException cause) {
        return new IOException(
                "the kernel cannot relay (socket.kernelRelay): " + why + "; " + whatToDo, cause);
    }
}
