package io.hxb.bench.failover;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Two ranks of Open MPI, whose messages its TCP transport spreads over the links. Its daemons talk
 * over a link of their own, which never fails. Stateless.
 */
final class OpenMpiPeer implements Peer {
    private static final String CONTROL_NIC = "mpi";
    private static final double END_LIMIT_S = 20;

    /** True if Open MPI is there and {@code benchmarks/run} has compiled the program. */
    static boolean isPresent() {
        return Peers.hasC("mpi_burst");
    }

    @Override
    public String name() {
        return "Open MPI";
    }

    @Override
    public void prepare(final LabSpec spec) {
        Subnets.address(spec);
        final StringBuilder pair = new StringBuilder("link add " + CONTROL_NIC);
        pair.append(" netns ").append(LabNames.namespace(spec.name(), 0));
        pair.append(" type veth peer name " + CONTROL_NIC);
        pair.append(" netns ").append(LabNames.namespace(spec.name(), 1)).append('\n');
        Shell.check(pair.toString(), List.of("ip", "-batch", "-"));
        for (int node = 0; node < 2; node++) {
            final String script =
                    "addr add %s/24 dev %s%nlink set %s up%n"
                            .formatted(control(node), CONTROL_NIC, CONTROL_NIC);
            Subnets.ip(spec, node, script);
        }
    }

    private static String control(final int node) {
        return "10.78.0." + (node + 1);
    }

    @Override
    public Transfer start(final LabSpec spec, final long startNs, final double seconds)
            throws IOException {
        final Path folder = Files.createTempDirectory("hxbb-mpi-");
        final Path samples = folder.resolve("samples");
        final List<String> ranks =
                List.of(
                        "mpirun",
                        "--allow-run-as-root",
                        "--quiet",
                        "--host",
                        control(0) + ":1," + control(1) + ":1",
                        "-n",
                        "2",
                        "--bind-to",
                        "none",
                        "--mca",
                        "plm_rsh_agent",
                        agent(folder, spec).toString(),
                        "--mca",
                        "oob_tcp_if_include",
                        CONTROL_NIC,
                        "--mca",
                        "pml",
                        "ob1",
                        "--mca",
                        "btl",
                        "tcp,self",
                        "--mca",
                        "btl_tcp_if_include",
                        nics(spec),
                        Peers.c("mpi_burst").getFirst(),
                        "-t",
                        Long.toString(startNs),
                        "-S",
                        String.format(Locale.ROOT, "%.1f", seconds),
                        samples.toString());
        final String named = "hostname node0; exec " + String.join(" ", ranks);
        return new Job(
                Program.start(
                        LabNames.namespace(spec.name(), 0),
                        "",
                        List.of("unshare", "-u", "sh", "-c", named)),
                folder,
                samples,
                endNs(startNs, seconds));
    }

    private static long endNs(final long startNs, final double seconds) {
        return startNs + (long) ((seconds + END_LIMIT_S) * 1e9);
    }

    private static String nics(final LabSpec spec) {
        return IntStream.range(0, spec.linkCount())
                .mapToObj(link -> LabNames.nic(0, link))
                .collect(Collectors.joining(","));
    }

    /** What mpirun takes for ssh: runs a command on "host" 1, under a host name of its own. */
    private static Path agent(final Path folder, final LabSpec spec) throws IOException {
        final Path agent = folder.resolve("agent");
        Files.writeString(
                agent,
                """
                #!/bin/sh
                shift
                exec ip netns exec %s unshare -u sh -c "hostname node1; $*"
                """
                        .formatted(LabNames.namespace(spec.name(), 1)));
        return Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
    }

    /** A job that may be stopped by its own runtime before its end. Owned by one thread. */
    private record Job(Program mpirun, Path folder, Path file, long endNs) implements Transfer {
        @Override
        public long[] samples() throws IOException, InterruptedException {
            mpirun.await(Math.max(0, (endNs - System.nanoTime()) / 1e9));
            mpirun.close();
            if (!Files.exists(file)) {
                throw new IOException(
                        "mpirun has started no ranks; it says why above (needed: Open MPI 4,"
                                + " Debian: openmpi-bin libopenmpi-dev)");
            }
            final ByteBuffer kept = ByteBuffer.wrap(Files.readAllBytes(file));
            final long[] bytes = new long[kept.capacity() / Long.BYTES];
            kept.order(ByteOrder.nativeOrder()).asLongBuffer().get(bytes);
            return bytes;
        }

        @Override
        public void close() {
            mpirun.close();
            try {
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder.resolve("agent"));
                Files.deleteIfExists(folder);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
