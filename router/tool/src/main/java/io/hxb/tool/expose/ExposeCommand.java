package io.hxb.tool.expose;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;
import io.hxb.tool.tunnel.Tunnel;
import io.hxb.tool.tunnel.TunnelOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** {@code hxb expose}: TCP ports of this machine that other nodes may reach. Picocli makes it. */
@Command(
        name = "expose",
        mixinStandardHelpOptions = true,
        header = "Let other nodes reach TCP ports of this machine.",
        description = {
            "Accept the connections of 'hxb forward' and 'hxb socks' of other nodes to these "
                    + "ports, and connect each to the service on this machine.",
            "Only what is named here can be reached, by all programs that may send messages to "
                    + "this user's programs: without tenants those of every user of the cluster. "
                    + "The service sees connections from this machine."
        },
        footer = {
            "",
            "Examples: hxb expose 80 8000-8009",
            "          hxb expose 80=8080 5432=10.0.0.7:5432"
        })
public final class ExposeCommand implements Callable<Integer> {
    private static final int MAX_PORTS = 1024;

    @Mixin private TunnelOptions options;

    @Parameters(
            arity = "1..*",
            paramLabel = "PORT",
            description =
                    "let other nodes reach this port of the loopback address; PORT-PORT, a range;"
                            + " PORT=PORT, another one under this number; PORT=HOST:PORT, that of"
                            + " another host, whose name is looked up once")
    private List<String> ports;

    /** Picocli makes it. */
    ExposeCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        final ClusterConfig config = options.config();
        final List<ExposedPort> exposed = exposed();
        try (Tunnel tunnel = options.open(config)) {
            for (final ExposedPort port : exposed) {
                tunnel.expose(port.port(), port.targets());
            }
            exposed.forEach(port -> report(tunnel, port));
            tunnel.serve();
        }
        return ExitStatus.OK;
    }

    private List<ExposedPort> exposed() {
        final Map<Integer, ExposedPort> all = new TreeMap<>();
        for (final String text : ports) {
            for (final ExposedPort port : UsageException.check(() -> ExposedPort.parse(text))) {
                if (all.put(port.port(), port) != null) {
                    throw new UsageException("port " + port.port() + " was given twice");
                }
            }
        }
        if (all.size() > MAX_PORTS) {
            throw new UsageException("at most " + MAX_PORTS + " ports, not " + all.size());
        }
        return new ArrayList<>(all.values());
    }

    private void report(final Tunnel tunnel, final ExposedPort port) {
        final InetSocketAddress target = port.targets().getFirst();
        final String local = tunnel.dial().place(tunnel.address(port.port()));
        options.output().text().println(local + " leads to " + Tunnel.text(target));
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("node", tunnel.node());
        report.put("port", port.port());
        report.put("service", Tunnel.text(target));
        options.output().report(report);
    }
}
