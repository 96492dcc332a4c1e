package io.hxb.bench.failover;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TcpRanks;
import io.hxb.tool.lab.LabSpec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Two ranks of Open MPI, whose messages its TCP transport spreads over the links. Its daemons talk
 * over a link of their own, which never fails. Stateless.
 */
final class OpenMpiPeer implements FailoverPeer {
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
        TcpRanks.prepare(spec);
    }

    @Override
    public Transfer start(final LabSpec spec, final long startNs, final double seconds)
            throws IOException {
        final Path folder = Files.createTempDirectory("hxbb-mpi-");
        final Path samples = folder.resolve("samples");
        final List<Integer> nodes = List.of(0, 1);
        final List<String> program =
                Peers.c(
                        "mpi_burst",
                        "-t",
                        Long.toString(startNs),
                        "-S",
                        String.format(Locale.ROOT, "%.1f", seconds),
                        samples.toString());
        return new Job(
                Program.start(
                        TcpRanks.namespace(spec, nodes),
                        "",
                        TcpRanks.command(folder, spec, nodes, program)),
                folder,
                samples,
                endNs(startNs, seconds));
    }

    private static long endNs(final long startNs, final double seconds) {
        return startNs + (long) ((seconds + END_LIMIT_S) * 1e9);
    }

    /** A job that may be stopped by its own runtime before its end. Owned by one thread. */
    private record Job(Program mpirun, Path folder, Path file, long endNs) implements Transfer {
        @Override
        public long[] samples() throws IOException, InterruptedException {
            mpirun.await(Math.max(0, (endNs - System.nanoTime()) / 1e9));
            mpirun.close();
            if (!Files.exists(file)) {
                throw new IOException(
                        "mpirun has started no ranks; its messages are above (needed: Open MPI 4,"
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
