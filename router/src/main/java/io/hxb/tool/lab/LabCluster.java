package io.hxb.tool.lab;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SocketConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes the cluster configuration of a lab, the same file that a real cluster has. Stateless. */
public final class LabCluster {
    /** First port that is tried for UDP; below the range the kernel gives to others. */
    private static final int FIRST_PORT = 20_000;

    private static final int END_PORT = 32_000;

    private LabCluster() {}

    /**
     * The configuration of a lab whose sockets and counters lie in {@code folder}.
     *
     * @throws ToolException when no free range of UDP ports was found.
     */
    public static ClusterConfig config(final LabSpec spec, final Path folder) {
        final int dimensions = spec.shape().dimensions();
        final LinkPlan links =
                spec.backend() == Backend.RAW
                        ? LinkPlan.raw(nics(spec), LabNames.namespacePattern(spec.name()))
                        : LinkPlan.udp(dimensions, spec.linkCount(), freePorts(spec));
        final SocketConfig sockets = SocketConfig.DEFAULT;
        return ClusterConfig.of(spec.name(), spec.shape(), spec.backend(), links)
                .withSocket(
                        sockets.withSizes(
                                        spec.mtuBytes(),
                                        Privileges.socketBuffer(
                                                "rmem_max", sockets.receiveBufferBytes()),
                                        Privileges.socketBuffer(
                                                "wmem_max", sockets.sendBufferBytes()))
                                .withKernelRelay(spec.kernelRelay()))
                .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
    }

    /** Writes the configuration into the lab's folder. */
    public static Path write(final ClusterConfig config, final Path folder) {
        final Path file = folder.resolve("cluster.yaml");
        try {
            Files.writeString(file, ClusterConfigYaml.write(config));
            return file;
        } catch (final IOException e) {
            throw new ToolException("cannot write " + file + ": " + e, e);
        }
    }

    private static List<List<String>> nics(final LabSpec spec) {
        final List<List<String>> nics = new ArrayList<>();
        for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
            final List<String> trunk = new ArrayList<>();
            for (int link = 0; link < spec.linkCount(); link++) {
                trunk.add(LabNames.nic(dimension, link));
            }
            nics.add(trunk);
        }
        return nics;
    }

    /** First port of a range in which nobody listens now. */
    private static int freePorts(final LabSpec spec) {
        final int count = spec.shape().nodeCount() * spec.nicsPerNode();
        int first = FIRST_PORT;
        int port = first;
        while (port - first < count) {
            if (first + count > END_PORT) {
                throw new ToolException(
                        "no "
                                + count
                                + " free UDP ports in a row between "
                                + FIRST_PORT
                                + " and "
                                + END_PORT
                                + ": stop other labs (hxb lab status)");
            }
            first = isFree(port) ? first : port + 1;
            port++;
        }
        return first;
    }

    private static boolean isFree(final int port) {
        try (DatagramSocket socket =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            return socket.isBound();
        } catch (final SocketException e) {
            return false;
        }
    }
}
