package io.hxb.tool.lab;

import io.hxb.config.AttachConfig;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.RouteConfig;
import io.hxb.config.SocketConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes the cluster configuration of a lab, the same file that a real cluster has. Stateless. */
public final class LabCluster {
    private static final long PATIENCE_NS = 20_000_000_000L;

    private LabCluster() {}

    /**
     * The configuration of a lab; sockets and counters lie in its folder.
     *
     * @throws ToolException when no free range of UDP ports was found.
     */
    public static ClusterConfig config(final Lab lab) {
        final LabSpec spec = lab.spec();
        final Path folder = lab.folder();
        final int dimensions = spec.shape().dimensions();
        final LinkPlan links =
                spec.backend().usesNics()
                        ? rawLinks(spec)
                        : LinkPlan.udp(
                                dimensions,
                                spec.linkCount(),
                                lab.reservePorts(spec.shape().nodeCount() * spec.nicsPerNode()));
        final SocketConfig sockets = SocketConfig.DEFAULT;
        final ClusterConfig cluster =
                ClusterConfig.of(spec.name(), spec.shape(), spec.backend(), links);
        return cluster.withFrame(cluster.frame().withEncapsulation(spec.encapsulation()))
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

    /**
     * The same for programs that end when they lose a peer, as those of MPI do: on a machine with
     * few CPUs a node that is silent for a second has more likely waited for one than died.
     */
    public static ClusterConfig patient(final ClusterConfig config) {
        final FlowConfig flow = config.flow();
        final RouteConfig routes = flow.routes();
        return config.withFlow(
                flow.withPeerTimeoutNs(PATIENCE_NS)
                        .withRoutes(
                                new RouteConfig(
                                        routes.silenceNs(), routes.retryNs(), PATIENCE_NS)));
    }

    /** True if its nodes wait as long as {@link #patient} describes. */
    public static boolean isPatient(final ClusterConfig config) {
        final FlowConfig flow = config.flow();
        return Math.min(flow.peerTimeoutNs(), flow.routes().partitionTimeoutNs()) >= PATIENCE_NS;
    }

    /** Writes the configuration into the lab's folder. */
    public static Path write(final ClusterConfig config, final Path folder) {
        final Path file = file(folder);
        try {
            Files.writeString(file, ClusterConfigYaml.write(config));
            return file;
        } catch (final IOException e) {
            throw new ToolException("cannot write " + file + ": " + e, e);
        }
    }

    /** The cluster file in the folder of a lab. */
    public static Path file(final Path folder) {
        return folder.resolve("cluster.yaml");
    }

    /** The NICs of all nodes of a raw lab. */
    static LinkPlan rawLinks(final LabSpec spec) {
        final String namespaces = LabNames.namespacePattern(spec.name());
        final List<List<String>> common = nics(spec, commonNode(spec));
        final Map<Long, LinkPlan.NodeOverride> others = new LinkedHashMap<>();
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            final List<List<String>> own = nics(spec, node);
            if (!own.equals(common)) {
                others.put(spec.shape().coordinates(node), new LinkPlan.NodeOverride(own, "", ""));
            }
        }
        final LinkPlan plan = LinkPlan.raw(common, namespaces);
        return new LinkPlan(common, namespaces, plan.udpHost(), plan.udpBasePort(), others);
    }

    /** A node with as many links as the most others have, so that the file lists few nodes. */
    private static int commonNode(final LabSpec spec) {
        final int[] nodes = new int[LinkPlan.MAX_LINKS_PER_DIMENSION + 1];
        int common = 0;
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            nodes[spec.linkCount(node)]++;
            if (nodes[spec.linkCount(node)] > nodes[spec.linkCount(common)]) {
                common = node;
            }
        }
        return common;
    }

    private static List<List<String>> nics(final LabSpec spec, final int node) {
        final List<List<String>> nics = new ArrayList<>();
        for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
            final List<String> trunk = new ArrayList<>();
            for (int link = 0; link < spec.linkCount(node); link++) {
                trunk.add(LabNames.nic(dimension, link));
            }
            nics.add(trunk);
        }
        return nics;
    }
}
