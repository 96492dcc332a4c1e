package io.hxb.bench.harness;

import io.hxb.config.IpConfig;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Has Open MPI run its ranks over TCP on the wires of a lab, as if the nodes were hosts of their
 * own. Its daemons talk over a network of their own, which never fails. Stateless.
 *
 * <p>Two nodes have a subnet on each of their links, over which Open MPI spreads messages by
 * itself. Nodes of other shapes have one address each, and routes over lines in the order of the
 * dimensions, over all links of a line at once: what an administrator would write by hand.
 */
public final class TcpRanks {
    private static final String CONTROL = "mpi";

    private TcpRanks() {}

    private static String control(final int node) {
        return "10.78.0." + (node + 1);
    }

    private static String address(final int node) {
        return "10.76.0." + (node + 1);
    }

    /** Gives the nodes what {@link #command} needs. */
    public static void prepare(final LabSpec spec) {
        joinControl(spec);
        final Shape shape = spec.shape();
        if (shape.nodeCount() == 2) {
            Subnets.address(spec);
            return;
        }
        for (int node = 0; node < shape.nodeCount(); node++) {
            Subnets.ip(spec, node, routes(spec, node));
            forward(spec, node);
        }
    }

    private static void joinControl(final LabSpec spec) {
        final String switches = LabNames.switchNamespace(spec.name());
        final StringBuilder script = new StringBuilder();
        script.append("link add ").append(CONTROL).append(" up type bridge\n");
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            script.append("link add ").append(CONTROL).append(node).append(" up master ");
            script.append(CONTROL).append(" type veth peer name ").append(CONTROL);
            script.append(" netns ").append(LabNames.namespace(spec.name(), node)).append('\n');
        }
        Shell.check(script.toString(), List.of("ip", "-n", switches, "-batch", "-"));
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            final String up =
                    "addr add %s/24 dev %s%nlink set %s up%nlink set lo up%n"
                            .formatted(control(node), CONTROL, CONTROL);
            Subnets.ip(spec, node, up);
        }
    }

    private static String routes(final LabSpec spec, final int node) {
        final Shape shape = spec.shape();
        final StringBuilder script = new StringBuilder();
        script.append("addr add ").append(address(node)).append("/32 dev ");
        script.append(LabNames.nic(0, 0)).append('\n');
        for (int other = 0; other < shape.nodeCount(); other++) {
            if (other == node) {
                continue;
            }
            final long here = shape.coordinates(node);
            final long there = shape.coordinates(other);
            int dimension = 0;
            while (Shape.coordinate(here, dimension) == Shape.coordinate(there, dimension)) {
                dimension++;
            }
            final int next =
                    shape.node(
                            Shape.withCoordinate(
                                    here, dimension, Shape.coordinate(there, dimension)));
            script.append("route add ").append(address(other)).append("/32");
            for (int link = 0; link < spec.linkCount(); link++) {
                script.append(" nexthop via ").append(address(next)).append(" dev ");
                script.append(LabNames.nic(dimension, link)).append(" onlink");
            }
            script.append('\n');
        }
        return script.toString();
    }

    private static void forward(final LabSpec spec, final int node) {
        Shell.check(
                "",
                List.of(
                        "ip",
                        "netns",
                        "exec",
                        LabNames.namespace(spec.name(), node),
                        "sysctl",
                        "-qw",
                        "net.ipv4.ip_forward=1",
                        "net.ipv4.conf.all.rp_filter=0",
                        "net.ipv4.fib_multipath_hash_policy=1"));
    }

    /**
     * The command that runs a program on nodes of a lab, to be started in the namespace of the
     * first of them.
     *
     * @param folder for a script; stays until the program has ended.
     * @param nodes where ranks run, one after the other.
     * @param program and its arguments.
     */
    public static List<String> command(
            final Path folder,
            final LabSpec spec,
            final List<Integer> nodes,
            final List<String> program)
            throws IOException {
        final String hosts =
                nodes.stream().map(node -> control(node) + ":1").collect(Collectors.joining(","));
        final boolean isPair = spec.shape().nodeCount() == 2;
        final String nics =
                isPair
                        ? IntStream.range(0, spec.linkCount())
                                .mapToObj(link -> LabNames.nic(0, link))
                                .collect(Collectors.joining(","))
                        : LabNames.nic(0, 0);
        final List<String> ranks = mpirun(nodes.size(), CONTROL, nics);
        ranks.addAll(List.of("--host", hosts, "--map-by", "node"));
        ranks.addAll(List.of("--mca", "plm_rsh_agent", agent(folder, spec).toString()));
        if (!isPair) {
            // A connection for each link, which routes spread over links.
            ranks.addAll(List.of("--mca", "btl_tcp_links", Integer.toString(spec.linkCount())));
        }
        ranks.addAll(program);
        return underName(nodes.getFirst(), ranks);
    }

    private static List<String> underName(final int node, final List<String> command) {
        return List.of(
                "unshare",
                "-u",
                "sh",
                "-c",
                "hostname node" + node + "; exec " + String.join(" ", command));
    }

    /**
     * The same by the virtual NICs of HXB, over which the daemons talk, too; the lab needs nothing
     * else.
     *
     * @param prefix of the virtual NICs, of IPv4.
     */
    public static List<String> commandByVirtualNics(
            final Path folder,
            final LabSpec spec,
            final List<Integer> nodes,
            final IpPrefix prefix,
            final List<String> program)
            throws IOException {
        final String nic = IpConfig.DEFAULT.device();
        final List<String> ranks = mpirun(nodes.size(), nic, nic);
        ranks.addAll(
                List.of(
                        "--host",
                        nodes.stream()
                                .map(node -> prefix.address(node) + ":1")
                                .collect(Collectors.joining(",")),
                        "--map-by",
                        "node"));
        ranks.addAll(List.of("--mca", "plm_rsh_agent", agent(folder, spec).toString()));
        ranks.addAll(program);
        return underName(nodes.getFirst(), ranks);
    }

    /** The same on the loopback of this machine, where no namespaces can be made. */
    public static List<String> loopbackCommand(final int ranks, final List<String> program) {
        final List<String> command = mpirun(ranks, "lo", "lo");
        command.add("--oversubscribe");
        command.addAll(program);
        return command;
    }

    /** Ranks that use TCP alone and give their CPU away while they wait. */
    private static List<String> mpirun(final int ranks, final String control, final String nics) {
        final List<String> command =
                new ArrayList<>(List.of("mpirun", "--allow-run-as-root", "--bind-to", "none"));
        command.addAll(List.of("-n", Integer.toString(ranks)));
        command.addAll(List.of("--mca", "mpi_yield_when_idle", "1"));
        command.addAll(List.of("--mca", "oob_tcp_if_include", control));
        command.addAll(List.of("--mca", "pml", "ob1", "--mca", "osc", "pt2pt"));
        command.addAll(List.of("--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", nics));
        return command;
    }

    /** Namespace in which {@link #command} is started. */
    public static String namespace(final LabSpec spec, final List<Integer> nodes) {
        return LabNames.namespace(spec.name(), nodes.getFirst());
    }

    /** What mpirun takes for ssh: runs a command on a node, under a host name of its own. */
    private static Path agent(final Path folder, final LabSpec spec) throws IOException {
        final Path agent = folder.resolve("agent");
        Files.writeString(
                agent,
                """
                #!/bin/sh
                node=$((${1##*.} - 1))
                shift
                exec ip netns exec %s$node unshare -u sh -c "hostname node$node; $*"
                """
                        .formatted(LabNames.namespace(spec.name(), 0).replaceAll("0$", "")));
        return Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
    }
}
