package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.log.LogThread;
import io.hxb.manager.VirtualNic;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.LoopStuckException;
import io.hxb.observe.service.ObserveService;
import io.hxb.os.Capabilities;
import io.hxb.os.ServiceManager;
import io.hxb.recorder.StopCause;
import io.hxb.tool.machine.OpenJars;
import io.hxb.tool.machine.Signals;
import io.hxb.tool.manager.NodeManager;
import io.hxb.tool.option.CaptureOption;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.ExitStatus;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** {@code hxb node}: the service. Picocli makes it. */
@Command(
        name = "node",
        mixinStandardHelpOptions = true,
        header = "Run the node of this machine.",
        description = "Run the node of this machine until it gets SIGTERM or Ctrl-C.")
final class NodeCommand implements Callable<Integer> {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeCommand.class);

    /** What a shell reports of a process that was ended by a signal, without its number. */
    private static final int ENDED_BY_SIGNAL = 128;

    /** The first is what ends the node; a closing node gets more of them. */
    private static final AtomicReference<StopCause> CAUSE = new AtomicReference<>();

    @Mixin private ClusterOptions cluster;
    @Mixin private WaitOptions waiting;
    @Mixin private CaptureOption capture;
    @Mixin private Output output;

    @Option(
            names = "--attended",
            description = "end when standard input ends, as the nodes of labs do")
    private boolean isAttended;

    @Option(
            names = "--no-observe",
            description = "run without a server of metrics, whatever observe.listen has")
    private boolean isUnobserved;

    /** Picocli makes it. */
    NodeCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        OpenJars.openAll();
        final ClusterConfig config = waiting.apply(cluster.config());
        final int id = cluster.node(config);
        final ServiceManager manager = ServiceManager.of(System.getenv());
        final LogThread log = LogThread.ofStandardError(Capabilities.givingUp(() -> {}));
        final Node node = start(NodeOptions.service(config, id), log);
        final VirtualNic nic = startManager(config, node, log);
        startServer(config);
        noteSignal("TERM", 15, StopCause.SIGTERM);
        noteSignal("INT", 2, StopCause.SIGINT);
        noteSignal("HUP", 1, StopCause.SIGHUP);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> stop(node, nic, log, manager), "hxb-node-stop"));
        node.serve(manager);
        output.text()
                .printf(
                        "node %d (%s) of cluster %s is up: socket %s, counters %s; %s relays%n",
                        id,
                        config.shape().format(config.shape().coordinates(id)),
                        config.name(),
                        config.ownSocketPath(id),
                        config.ownCountersPath(id),
                        node.isRelayedByKernel() ? "the kernel" : "the node");
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("node", id);
        report.put("coordinates", config.shape().format(config.shape().coordinates(id)));
        report.put("cluster", config.name());
        report.put("socket", config.ownSocketPath(id).toString());
        report.put("counters", config.ownCountersPath(id).toString());
        report.put("kernel_relay", node.isRelayedByKernel());
        report.put("manager", nic != null);
        output.report(report);
        manager.ready("node " + id + " of cluster " + config.name());
        if (isAttended) {
            System.in.transferTo(OutputStream.nullOutputStream());
            CAUSE.compareAndSet(null, StopCause.INPUT_ENDED);
        } else {
            new CountDownLatch(1).await();
        }
        return ExitStatus.OK;
    }

    // The JVM ends in the same way, but does not tell which signal it was.
    private static void noteSignal(final String name, final int number, final StopCause cause) {
        Signals.handle(
                name,
                () -> {
                    CAUSE.compareAndSet(null, cause);
                    System.exit(ENDED_BY_SIGNAL + number);
                });
    }

    // The caller prints why the node did not start and ends the process at once.
    private Node start(final NodeOptions options, final LogThread log) throws IOException {
        try {
            return Node.start(capture.capture().apply(options));
        } catch (final IOException | RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    // It ends with the process. A node without metrics is better than none.
    private void startServer(final ClusterConfig config) {
        try {
            final var ignored =
                    isUnobserved ? Optional.empty() : ObserveService.start(config, System.getenv());
        } catch (final IOException e) {
            LOGGER.warn("metrics are not served: {}", e.getMessage());
        }
    }

    /** The network manager of this host; null if none is configured. */
    private static VirtualNic startManager(
            final ClusterConfig config, final Node node, final LogThread log) throws IOException {
        if (!config.manager().isWanted()) {
            return null;
        }
        try {
            return VirtualNic.start(NodeManager.options(config));
        } catch (final IOException | RuntimeException | Error e) {
            node.close();
            log.close();
            throw e;
        }
    }

    private static void stop(
            final Node node,
            final VirtualNic nic,
            final LogThread log,
            final ServiceManager manager) {
        manager.stopping();
        CAUSE.compareAndSet(null, StopCause.ERROR);
        final StopCause cause = CAUSE.get();
        LOGGER.info(
                "node {} of cluster {} ends: {}",
                node.nodeId(),
                node.config().name(),
                cause.text());
        node.onEnding(cause);
        boolean isStuck = false;
        try {
            if (nic != null) {
                nic.close();
            }
            node.close();
        } catch (final LoopStuckException e) {
            isStuck = true;
        } finally {
            log.close();
        }
        if (isStuck) {
            // It has reported that. No other hook may take anything from the loop that still runs.
            Runtime.getRuntime().halt(ExitStatus.FAILED);
        }
    }
}
