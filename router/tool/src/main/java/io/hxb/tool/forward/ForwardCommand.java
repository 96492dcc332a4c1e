package io.hxb.tool.forward;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;
import io.hxb.tool.tunnel.Tunnel;
import io.hxb.tool.tunnel.TunnelOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb forward}: local TCP ports that lead to other nodes. Picocli makes it. */
@Command(
        name = "forward",
        mixinStandardHelpOptions = true,
        header = "Forward local TCP ports to ports of other nodes.",
        description = {
            "Listen on TCP ports of this machine, and lead each connection by a stream to a port "
                    + "of another node, where 'hxb expose' connects it to the service. Neither "
                    + "privilege nor IP between the nodes is needed.",
            "A connection that cannot be made is reset, and a message on standard error states "
                    + "why."
        },
        footer = {
            "",
            "Examples: hxb forward 8080:1,0,0:80",
            "          hxb forward 0.0.0.0:0:beta:5432"
        })
public final class ForwardCommand implements Callable<Integer> {
    @Mixin private TunnelOptions options;

    @Parameters(
            arity = "1..*",
            paramLabel = "[HOST:]PORT:NODE:PORT",
            description =
                    "forward this port, on 127.0.0.1 unless a host is given, to a port of the node "
                            + "of this name, id or coordinates; 0 takes a free port and prints it")
    private List<String> rules;

    /** Picocli makes it. */
    ForwardCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        final ClusterConfig config = options.config();
        final NodeNames names = new NodeNames(config);
        final List<ForwardRule> parsed = new ArrayList<>();
        for (final String rule : rules) {
            parsed.add(UsageException.check(() -> ForwardRule.parse(names, rule)));
        }
        try (Tunnel tunnel = options.open(config)) {
            for (final ForwardRule rule : parsed) {
                begin(tunnel, rule);
            }
            tunnel.serve();
        }
        return ExitStatus.OK;
    }

    private void begin(final Tunnel tunnel, final ForwardRule rule) throws IOException {
        final String local =
                Tunnel.text(
                        tunnel.listen(
                                rule.local(),
                                connection ->
                                        ForwardHandler.begin(tunnel, connection, rule.target())));
        options.output().text().println(local + " leads to " + tunnel.dial().place(rule.target()));
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("listen", local);
        report.put("node", rule.target().node());
        report.put("port", rule.target().port());
        options.output().report(report);
    }
}
