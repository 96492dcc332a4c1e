package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.counter.NodeFinding;
import io.hxb.os.PortOwner;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyFile;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Examines what a cluster file requires of this machine, and its running nodes. Stateless. */
public final class ClusterCheck {
    private static final long COUNTERS_BYTES = 4L << 20;

    private ClusterCheck() {}

    /**
     * Everything about one node.
     *
     * @param config a checked configuration.
     * @param node the node that runs, or will run, on this machine.
     */
    public static List<Finding> run(final ClusterConfig config, final int node) {
        final List<Finding> findings = new ArrayList<>();
        final String subject = "node";
        final boolean isRunning = isRunning(config, node, subject, findings);
        findings.addAll(keys(config));
        if (config.backend().usesNics()) {
            findings.addAll(NicsCheck.run(config, node, isRunning));
        } else {
            if (!isRunning) {
                ports(config, node, findings);
            }
            findings.addAll(UdpCheck.run(config, node));
        }
        findings.addAll(IpCheck.run(config, node, isRunning));
        if (!isRunning) {
            findings.add(space(config.attach().countersDirectory()));
            findings.add(SocketCheck.run(config, node));
        }
        return findings;
    }

    private static boolean isRunning(
            final ClusterConfig config,
            final int node,
            final String subject,
            final List<Finding> findings) {
        final Path file = config.countersPath(node);
        if (!Files.exists(file)) {
            findings.add(Finding.ok(subject, "has not run on this machine yet"));
            return false;
        }
        try (CounterReader reader = CounterReader.open(file)) {
            if (reader.isClosed()) {
                findings.add(Finding.ok(subject, "was stopped in order"));
                return false;
            }
            if (!reader.isAlive(System.currentTimeMillis())) {
                findings.add(
                        Finding.fail(
                                subject,
                                "pid "
                                        + reader.pid()
                                        + (reader.hasProcessEnded() ? " died" : " died or hangs")
                                        + ": no sign of life since "
                                        + java.time.Instant.ofEpochMilli(reader.heartbeatMs()),
                                "look at its log (journalctl -u hxb-node), then start it again"
                                        + " (systemctl restart hxb-node)"));
                return false;
            }
            findings.add(Finding.ok(subject, "runs, pid " + reader.pid()));
            for (final NodeFinding finding : reader.findings()) {
                // The NICs of raw links are examined themselves.
                if (!config.backend().usesNics() || finding.kind() != NodeFinding.Kind.LINK_DOWN) {
                    findings.add(Finding.ofNode(subject, finding));
                }
            }
            findings.add(
                    TuningCheck.pool(
                            subject, Path.of("/proc", Long.toString(reader.pid()), "smaps")));
            findings.addAll(LinkCheck.run(reader));
            drops(reader, subject, findings);
            crowding(reader, subject, findings);
            IpCheck.counts(reader, subject, findings);
            return true;
        } catch (final IOException e) {
            findings.add(
                    Finding.fail(
                            subject,
                            e.getMessage(),
                            "remove the file when its node is of an older version"));
            return false;
        }
    }

    private static void drops(
            final CounterReader reader, final String subject, final List<Finding> findings) {
        final long kernel = reader.sum(CounterType.LINK_KERNEL_DROPPED_FRAMES);
        if (kernel > 0) {
            findings.add(
                    Finding.warn(
                            subject,
                            "the kernel dropped "
                                    + kernel
                                    + " frames that were not fetched in time",
                            "raise socket.receiveBuffer in the cluster file, or give the node more"
                                    + " CPU"));
        }
        final long empty = reader.sum(CounterType.FORWARD_DROPPED_POOL_EMPTY_FRAMES);
        if (empty > 0) {
            findings.add(
                    Finding.warn(
                            subject,
                            empty + " frames were dropped for want of a buffer",
                            "raise pool.buffers, or look for an application that holds messages"));
        }
    }

    private static void crowding(
            final CounterReader reader, final String subject, final List<Finding> findings) {
        final long loops = reader.sum(CounterType.NODE_LOOP_CROWDED_LOOPS);
        if (loops > 0) {
            findings.add(
                    Finding.warn(
                            subject,
                            loops
                                    + " of its loops should spin, but sleep when they have nothing"
                                    + " to do, because other threads need their CPUs (gave way "
                                    + reader.sum(CounterType.NODE_LOOP_GIVE_WAYS_EVENTS)
                                    + " times)",
                            TuningCheck.CROWDING_FIX));
        }
    }

    /**
     * Settings of the file that are valid, and probably not what its author wants.
     *
     * @param config a checked configuration.
     */
    public static List<Finding> intentions(final ClusterConfig config) {
        if (config.tenants().isEmpty()
                || config.context().isolation() == ContextConfig.Isolation.COPY) {
            return List.of();
        }
        return List.of(
                Finding.warn(
                        "tenants",
                        "may exchange messages only as the file permits, yet each can read all"
                                + " messages that others receive on its node",
                        "set context.isolation: copy, which gives each context buffers of its own"
                                + " and costs a copy of each message"));
    }

    /**
     * Whether the loops of the nodes on this machine, and applications, can have CPUs of their own.
     *
     * @param config a checked configuration.
     * @param nodes the nodes that run, or will run, on this machine.
     */
    public static List<Finding> loops(final ClusterConfig config, final List<Integer> nodes) {
        final List<Finding> findings =
                new ArrayList<>(CpuCheck.loops(config.loop(), CpuCheck.Cpus.ofThisMachine()));
        if (config.loop().waiting() == LoopConfig.Waiting.SPIN) {
            final int cpus = Runtime.getRuntime().availableProcessors();
            findings.add(TuningCheck.spinning(spinningLoops(config, nodes, cpus), cpus));
        }
        return findings;
    }

    // Nodes of one process share a loop for each CPU.
    private static int spinningLoops(
            final ClusterConfig config, final List<Integer> nodes, final int cpus) {
        final Set<Long> processes = new HashSet<>();
        for (final int node : nodes) {
            try (CounterReader reader = CounterReader.open(config.countersPath(node))) {
                processes.add(reader.pid());
            } catch (final IOException e) {
                // It has not run yet: a process of its own.
                processes.add(-1L - node);
            }
        }
        final int perNode = config.loop().loopCount();
        return processes.size() == 1 && nodes.size() > 1
                ? Math.min(nodes.size() * perNode, Math.max(cpus, perNode))
                : nodes.size() * perNode;
    }

    /** Whether the node may read its keys, and others may not. */
    static List<Finding> keys(final ClusterConfig config) {
        if (config.security().keys().isEmpty()) {
            return List.of();
        }
        try {
            return List.of(
                    Finding.ok(
                            "security.keys",
                            "key "
                                    + ClusterKey.text(
                                            KeyFile.read(config.security(), System.getenv())
                                                    .id(0))));
        } catch (final IOException e) {
            final String text = e.getMessage();
            final int semicolon = text.indexOf("; ");
            return List.of(
                    Finding.fail(
                            "security.keys",
                            semicolon < 0 ? text : text.substring(0, semicolon),
                            semicolon < 0
                                    ? "hxb key generate makes a file as it has to be; copy it to"
                                            + " every node, for its owner alone (chmod 600)"
                                    : text.substring(semicolon + 2)));
        }
    }

    private static void ports(
            final ClusterConfig config, final int node, final List<Finding> findings) {
        for (final LinkConfig link : config.links(node)) {
            final InetSocketAddress address = new InetSocketAddress(link.host(), link.port());
            final String subject = "udp " + link.label();
            try (DatagramSocket socket = new DatagramSocket(address)) {
                findings.add(Finding.ok(subject, socket.getLocalSocketAddress() + " is free"));
            } catch (final SocketException e) {
                findings.add(
                        Finding.fail(
                                subject,
                                port(address, e),
                                "stop the program that uses the port (ss -lunp), or choose another"
                                        + " basePort or host"));
            }
        }
    }

    private static String port(final InetSocketAddress address, final SocketException e) {
        final String owner = PortOwner.ofUdp(address.getAddress(), address.getPort());
        return address + (owner.isEmpty() ? ": " + e.getMessage() : " is taken by " + owner);
    }

    private static Finding space(final Path folder) {
        Path place = folder.toAbsolutePath();
        while (place != null && !Files.exists(place)) {
            place = place.getParent();
        }
        try {
            if (place == null || !Files.isWritable(place)) {
                return Finding.fail(
                        "counters",
                        folder + " cannot be written",
                        "change its owner, or attach.countersDirectory");
            }
            final long free = Files.getFileStore(place).getUsableSpace();
            return free >= COUNTERS_BYTES
                    ? Finding.ok("counters", folder + " has room")
                    : Finding.fail(
                            "counters",
                            folder + " has " + free + " bytes left",
                            "make room, or choose another attach.countersDirectory");
        } catch (final IOException e) {
            return Finding.fail(
                    "counters",
                    folder + ": " + e.getMessage(),
                    "choose another attach.countersDirectory");
        }
    }
}
