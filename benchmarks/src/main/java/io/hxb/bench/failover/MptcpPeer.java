package io.hxb.bench.failover;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Subnets;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One MPTCP connection, with a subflow over each link. Stateless. */
final class MptcpPeer implements FailoverPeer {
    private static final double END_LIMIT_S = 60;
    private static final String PORT = "5201";

    @Override
    public String name() {
        return "MPTCP";
    }

    /** The server announces its addresses, and the client joins them. */
    @Override
    public void prepare(final LabSpec spec) {
        Subnets.address(spec);
        for (int node = 0; node < 2; node++) {
            final StringBuilder script = new StringBuilder();
            script.append("mptcp limits set subflows 8 add_addr_accepted 8\n");
            for (int link = 0; node == 1 && link < spec.linkCount(); link++) {
                script.append("mptcp endpoint add ").append(Subnets.address(link, node));
                script.append(" dev ").append(LabNames.nic(0, link)).append(" signal\n");
            }
            Subnets.ip(spec, node, script.toString());
        }
    }

    @Override
    public Transfer start(final LabSpec spec, final long startNs, final double seconds)
            throws IOException, InterruptedException {
        final Program server =
                burst(spec, 1, "server", seconds, "-t", Long.toString(startNs), "0.0.0.0", PORT);
        try {
            server.ready();
            // Sends until a moment after the last sample.
            final double sendS = (startNs - System.nanoTime()) / 1e9 + seconds + 0.3;
            return new Connection(
                    server, burst(spec, 0, "client", sendS, Subnets.address(0, 1), PORT));
        } catch (final IOException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    private static Program burst(
            final LabSpec spec,
            final int node,
            final String mode,
            final double seconds,
            final String... rest)
            throws IOException {
        final String length = String.format(Locale.ROOT, "%.1f", seconds);
        final List<String> command =
                new ArrayList<>(Peers.c("tcp_burst", "-m", mode, "-M", "-S", length));
        command.addAll(List.of(rest));
        return Program.start(LabNames.namespace(spec.name(), node), "", command);
    }

    /** Its two ends. Owned by one thread. */
    private record Connection(Program server, Program client) implements Transfer {
        @Override
        public long[] samples() throws IOException, InterruptedException {
            client.last(END_LIMIT_S);
            final JsonNode found = server.last(END_LIMIT_S).get("samples");
            final long[] bytes = new long[found.size()];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = found.get(i).asLong();
            }
            return bytes;
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }
}
