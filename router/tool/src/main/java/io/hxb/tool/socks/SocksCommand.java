package io.hxb.tool.socks;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;
import io.hxb.tool.tunnel.ListenAddress;
import io.hxb.tool.tunnel.Tunnel;
import io.hxb.tool.tunnel.TunnelOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb socks}: a SOCKS proxy to the nodes of a cluster. Picocli makes it. */
@Command(
        name = "socks",
        mixinStandardHelpOptions = true,
        header = "Run a SOCKS proxy that leads to other nodes.",
        description = {
            "Run a proxy of SOCKS 5 and 4a without passwords. The host name that a program asks "
                    + "for is that of a node, NODE or NODE.CLUSTER.hxb, where NODE is a name "
                    + "under hosts: in the cluster file, coordinates such as 1-0-0, or an id. "
                    + "There 'hxb expose' connects to the service.",
            "Programs have to pass names on rather than look them up."
        },
        footer = {
            "",
            "Examples: hxb socks",
            "          curl --proxy socks5h://127.0.0.1:1080 http://1-0-0.lab.hxb/"
        })
public final class SocksCommand implements Callable<Integer> {
    private static final long REQUEST_MS = 10_000;

    @Mixin private TunnelOptions options;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            description =
                    "listen on this port, on 127.0.0.1 unless a host is given; 0 takes a free "
                            + "port and prints it (default: ${DEFAULT-VALUE})")
    private String listen = "1080";

    /** Picocli makes it. */
    SocksCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        final ClusterConfig config = options.config();
        final InetSocketAddress local = UsageException.check(() -> ListenAddress.parse(listen));
        final NodeNames names = new NodeNames(config);
        try (Tunnel tunnel = options.open(config)) {
            final String place =
                    Tunnel.text(
                            tunnel.listen(
                                    local,
                                    connection ->
                                            SocksHandler.begin(
                                                    tunnel, names, connection, REQUEST_MS)));
            options.output()
                    .text()
                    .println(
                            "proxy socks5h://" + place + " leads to the nodes of " + config.name());
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("ok", true);
            report.put("listen", place);
            options.output().report(report);
            tunnel.serve();
        }
        return ExitStatus.OK;
    }
}
