package io.hxb.tool.web;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ObserveConfig;
import io.hxb.observe.SessionEntry;
import io.hxb.observe.service.ObserveService;
import io.hxb.tool.option.ClusterFile;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code hxb web}: a look at the nodes by a browser. Picocli makes it. */
@Command(
        name = "web",
        mixinStandardHelpOptions = true,
        header = "Show the nodes of this machine in a browser.",
        description = {
            "Print the address of the page about this machine's nodes, and open it where there is"
                    + " a display and xdg-open.",
            "The address begins a session that also shows values of users: those of all to the user"
                + " of the nodes and root, those of oneself and one's tenant to others. It can be"
                + " used once, for 60 seconds."
        },
        footer = {"", "Example: hxb web --no-open"})
public final class WebCommand implements Callable<Integer> {
    private static final Path OPENER = Path.of("/usr/bin/xdg-open");

    @Mixin private ClusterFile cluster;
    @Mixin private Output output;

    @Option(names = "--no-open", description = "print the address only")
    private boolean isPrinted;

    /** Picocli makes it. */
    WebCommand() {}

    @Override
    public Integer call() throws IOException {
        final ClusterConfig config = cluster.config();
        final ObserveConfig settings = settings(config);
        if (!settings.isWanted()) {
            throw new ToolException(
                    "the nodes of "
                            + config.name()
                            + " serve no page: change observe.listen of the cluster file");
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        String url = "http://" + host(settings.address()) + "/";
        try {
            final Optional<String> ticket = operatorTicket(config);
            url += path() + (ticket.isPresent() ? ticket.get() : ObserveService.userTicket(config));
            report.put("session", true);
            report.put("sees", ticket.isPresent() ? "all" : "own");
        } catch (final IOException e) {
            output.text().println("without values of users: " + e.getMessage());
            report.put("session", false);
            report.put("sees", "none");
        }
        output.text().println(url);
        report.put("url", url);
        output.report(report);
        open(url);
        return ExitStatus.OK;
    }

    /** Empty for those who may not read the secret. */
    private static Optional<String> operatorTicket(final ClusterConfig config) {
        try {
            return Optional.of(ObserveService.ticket(config));
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    private static ObserveConfig settings(final ClusterConfig config) {
        try {
            return ObserveService.settings(config, System.getenv());
        } catch (final IOException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }

    private static String path() {
        return SessionEntry.PATH.substring(1) + "?" + SessionEntry.PARAMETER + "=";
    }

    private static String host(final InetSocketAddress address) {
        final InetAddress host = address.getAddress();
        final String text = host.isAnyLocalAddress() ? "127.0.0.1" : host.getHostAddress();
        return (text.contains(":") ? "[" + text + "]" : text) + ":" + address.getPort();
    }

    private void open(final String url) throws IOException {
        final boolean hasDisplay =
                System.getenv("DISPLAY") != null || System.getenv("WAYLAND_DISPLAY") != null;
        if (!isPrinted && !output.isJson() && hasDisplay && Files.isExecutable(OPENER)) {
            final var ignored =
                    new ProcessBuilder(OPENER.toString(), url)
                            .redirectErrorStream(true)
                            .redirectOutput(new File("/dev/null"))
                            .start();
        }
    }
}
