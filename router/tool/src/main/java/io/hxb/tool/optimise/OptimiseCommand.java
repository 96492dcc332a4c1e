package io.hxb.tool.optimise;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.manager.ManagerClient;
import io.hxb.manager.control.Connector;
import io.hxb.manager.control.ControlServer;
import io.hxb.manager.control.ControlSettings;
import io.hxb.manager.control.ControlSocket;
import io.hxb.manager.control.HostPool;
import io.hxb.manager.control.ManagedHost;
import io.hxb.manager.control.NetworkControl;
import io.hxb.pm.attach.RunFolders;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyFile;
import io.hxb.tool.machine.OpenJars;
import io.hxb.tool.manager.ManagerPlace;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.UsageException;
import io.hxb.vlan.HostTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@code hxb optimise}: the management server of a network. Picocli makes it. */
@Command(
        name = "optimise",
        mixinStandardHelpOptions = true,
        header = "Move pairs of hosts off busy links by measured traffic.",
        description =
                "Ask the managers of all hosts what they sent, find the busiest links, "
                        + "and move pairs to other VLANs where that relieves them. Runs until it "
                        + "gets SIGTERM or Ctrl-C; what it moved then goes back. Of several "
                        + "servers one works and the others wait.",
        subcommands = {
            OptimiseStatusCommand.class,
            OptimiseExplainCommand.class,
            OptimiseStopCommand.class,
            OptimiseStartCommand.class
        },
        footer = {
            "",
            "Example: hxb optimise --plan net.plan --managers hosts.txt --key /etc/hxb/key"
                    + " --dry-run"
        })
public final class OptimiseCommand implements Callable<Integer> {
    private static final long MS = 1_000_000;
    private static final long SECOND_NS = 1_000 * MS;
    private static final long MIN_ROUND_NS = 5 * SECOND_NS;

    @Mixin private Output output;
    @Mixin private OptimiseSocket socket;

    @Option(
            names = "--plan",
            paramLabel = "FILE",
            description = "read the plan of the network, with which its managers were started")
    private String plan;

    @Option(
            names = "--manager",
            paramLabel = "PLACE",
            split = ",",
            description = "ask the managers at these places, a socket or ADDRESS:PORT each")
    private List<String> places = List.of();

    @Option(
            names = "--managers",
            paramLabel = "FILE",
            description = "read such places from this file, one a line")
    private Path list;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "show the key of the cluster in this file to managers of other machines")
    private Path key;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "measure the traffic this often (default: ${DEFAULT-VALUE})")
    private String interval;

    @Mixin private TuningOptions tuning;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "10s",
            description =
                    "let hosts keep for this long what was set, if this server vanishes "
                            + "(default: ${DEFAULT-VALUE})")
    private String lease;

    @Option(names = "--dry-run", description = "print what would change, and change nothing")
    private boolean isDry;

    @Option(names = "--keep", description = "leave what was moved when the server ends")
    private boolean isKept;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description = "end after this many intervals; 0: never (default: ${DEFAULT-VALUE})")
    private long count;

    @Option(names = "--attended", hidden = true, description = "end when standard input ends")
    private boolean isAttended;

    /** Picocli makes it. */
    OptimiseCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (plan == null) {
            throw new UsageException("--plan FILE is missing: the plan that the managers have");
        }
        if (isDry && isKept) {
            throw new UsageException("--keep: not with --dry-run, which moves nothing to leave");
        }
        OpenJars.openAll();
        final VlanPlan network = SavedPlan.read(plan);
        final HostTable table = UsageException.check(() -> HostTable.of(network));
        final long intervalNs =
                TimeOption.parseNs("--interval", interval, 10 * MS, 3_600 * SECOND_NS);
        final long leaseNs = TimeOption.parseNs("--lease", lease, SECOND_NS, 600 * SECOND_NS);
        if (leaseNs < 3 * intervalNs && !isDry) {
            throw new UsageException(
                    "--lease has to be at least three times --interval: it is renewed once in an"
                            + " interval");
        }
        final ControlSettings settings =
                UsageException.check(
                        () ->
                                new ControlSettings(
                                        new SecureRandom().nextLong() | 1,
                                        (int) (leaseNs / MS),
                                        isDry,
                                        tuning.terms()));
        final List<ManagedHost> hosts = hosts(table.fingerprint(), leaseNs);
        try (HostPool pool = new HostPool(Math.max(MIN_ROUND_NS, intervalNs))) {
            final NetworkControl control = new NetworkControl(network, settings, pool, hosts);
            serve(control, intervalNs, hosts.size());
        }
        return ExitStatus.OK;
    }

    private List<ManagedHost> hosts(final long fingerprint, final long leaseNs) throws IOException {
        final List<String> all = new ArrayList<>(places);
        if (list != null) {
            Files.readAllLines(list).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .forEach(all::add);
        }
        if (all.isEmpty()) {
            throw new UsageException(
                    "no manager is named: give --manager PLACE,... or --managers FILE");
        }
        if (all.stream().distinct().count() < all.size()) {
            throw new UsageException("one manager is named twice");
        }
        final ClusterKey clusterKey = key == null ? null : KeyFile.read(key);
        final List<ManagedHost> hosts = new ArrayList<>();
        for (final String place : all) {
            hosts.add(
                    new ManagedHost(
                            place,
                            connector(place, clusterKey, leaseNs),
                            fingerprint,
                            System::nanoTime));
        }
        return hosts;
    }

    private static Connector connector(
            final String place, final ClusterKey key, final long leaseNs) {
        final InetSocketAddress address =
                ManagerPlace.isAddress(place) ? ManagerPlace.address("--manager", place) : null;
        return () -> {
            final ManagerClient client =
                    address == null
                            ? ManagerClient.connect(Path.of(place))
                            : ManagerClient.connect(
                                    new InetSocketAddress(
                                            address.getHostString(), address.getPort()),
                                    key);
            client.answerWithin(Math.min(2 * SECOND_NS, leaseNs / 2));
            return client;
        };
    }

    private void serve(final NetworkControl control, final long intervalNs, final int hosts)
            throws IOException, InterruptedException {
        final ControlServer server = new ControlServer(control, intervalNs, Json::line);
        final CountDownLatch ended = new CountDownLatch(1);
        RunFolders.ofThisProcess().prepare(socket.own().getParent());
        try (ControlSocket listening = new ControlSocket(socket.own(), server::answer)) {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> stop(server, ended), "hxb-optimise-stop"));
            if (isAttended) {
                Thread.ofPlatform()
                        .daemon()
                        .name("hxb-optimise-attend")
                        .start(() -> attend(server));
            }
            report(hosts, listening.path());
            final RoundOutput rounds = new RoundOutput(output, isDry);
            try {
                server.run(
                        report -> {
                            rounds.onRound(report);
                            if (count > 0 && report.rounds() >= count) {
                                server.end();
                            }
                        });
            } finally {
                control.close(isKept);
            }
        } finally {
            ended.countDown();
        }
    }

    private void report(final int hosts, final Path place) {
        output.text().printf("managing %d hosts: socket %s%n", hosts, place);
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("hosts", hosts);
        report.put("socket", place.toString());
        output.report(report);
    }

    private static void attend(final ControlServer server) {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (final IOException e) {
            // The attending process has gone, as at the end of the input.
        }
        server.end();
    }

    private static void stop(final ControlServer server, final CountDownLatch ended) {
        server.end();
        try {
            if (!ended.await(5, TimeUnit.SECONDS)) {
                System.err.println(
                        "hxb: the server has not ended after 5 s; what it set ends with its lease");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
