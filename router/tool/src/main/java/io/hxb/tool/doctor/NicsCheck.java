package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.GroTimer;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicOffloads;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Examines the NICs of the raw links of one node. Stateless. */
final class NicsCheck {
    private static final Path SYSTEM_NICS = Path.of("/sys/class/net");

    private NicsCheck() {}

    /**
     * Everything about them.
     *
     * @param isRunning whether the node runs.
     */
    static List<Finding> run(final ClusterConfig config, final int node, final boolean isRunning) {
        final String namespace = config.netns(node);
        final Optional<NicTable> table = NicTable.of(namespace);
        if (table.isEmpty()) {
            return List.of(
                    Finding.fail(
                            "namespace " + namespace,
                            "cannot be entered",
                            "make it, or take netns out of the cluster file"));
        }
        final List<Finding> findings = new ArrayList<>();
        // After what keeps frames from passing.
        final List<Finding> tuning = new ArrayList<>();
        final Map<Integer, List<String>> mtus = new TreeMap<>();
        final Map<String, String> subjects = new TreeMap<>();
        final Set<Integer> deaf = isRunning ? deafLinks(config, node) : Set.of();
        final String rules = rules(namespace);
        for (final LinkConfig link : config.links(node)) {
            final String subject = "nic " + link.nic() + " (" + link.label() + ")";
            final NicTable.Nic nic = table.get().nics().get(link.nic());
            if (nic == null) {
                findings.add(
                        Finding.fail(
                                subject,
                                "is not there",
                                "correct links: in the cluster file; there are "
                                        + table.get().nics().keySet()));
                continue;
            }
            mtus.computeIfAbsent(nic.mtuBytes(), key -> new ArrayList<>()).add(link.nic());
            subjects.put(link.nic(), subject);
            findings.add(state(subject, link.nic(), nic));
            findings.addAll(NicCheck.use(subject, link.nic(), nic));
            findings.addAll(
                    NicCheck.before(subject, link.nic(), nic, deaf.contains(link.index()), rules));
            findings.addAll(leftovers(subject, namespace, link.nic()));
            if (namespace.isEmpty()) {
                tuning.addAll(
                        NicCheck.atBoot(
                                subject,
                                BootPlan.of(
                                        Path.of("/"),
                                        bootNic(link.nic(), config.socket().mtuBytes()))));
            }
            tuning.addAll(offloads(namespace, link.nic(), config.frame()));
            findings.addAll(mtu(subject, link.nic(), nic, config.socket().mtuBytes()));
        }
        findings.addAll(NicCheck.addresses(subjects, table.get()));
        if (mtus.size() > 1) {
            findings.add(
                    Finding.warn(
                            "mtu",
                            "differs among the NICs: " + mtus,
                            "give all NICs and switches the same, best 9000"));
        }
        findings.addAll(tuning);
        return findings;
    }

    private static Finding state(final String subject, final String name, final NicTable.Nic nic) {
        if (!nic.isUp()) {
            return Finding.fail(subject, "is down", "ip link set " + name + " up");
        }
        return nic.hasCarrier()
                ? Finding.ok(subject, "up, MTU " + nic.mtuBytes())
                : Finding.fail(
                        subject,
                        "has no carrier",
                        "plug in its cable, and switch the other end on");
    }

    private static List<Finding> mtu(
            final String subject, final String name, final NicTable.Nic nic, final int wanted) {
        return wanted <= nic.mtuBytes()
                ? List.of()
                : List.of(
                        Finding.fail(
                                subject,
                                "has MTU " + nic.mtuBytes() + ", the cluster file wants " + wanted,
                                "ip link set " + name + " mtu " + wanted));
    }

    /** Links of a node that runs on which it hears nobody. */
    private static Set<Integer> deafLinks(final ClusterConfig config, final int node) {
        final Set<Integer> deaf = new HashSet<>();
        try (CounterReader reader = CounterReader.open(config.countersPath(node))) {
            for (final LinkConfig link : config.links(node)) {
                if (reader.value(CounterType.LINK_NEIGHBOURS_NODES, link.index()) == 0) {
                    deaf.add(link.index());
                }
            }
            return deaf;
        } catch (final IOException e) {
            // It has ended meanwhile.
            return Set.of();
        }
    }

    /**
     * What is known of a NIC of this process's network namespace.
     *
     * @param wantedBytes the MTU that the cluster file wants; 0 for that of the NIC.
     */
    static BootPlan.Nic bootNic(final String name, final int wantedBytes) {
        int mtuBytes = wantedBytes;
        boolean hasAddress = false;
        try {
            final NetworkInterface nic = NetworkInterface.getByName(name);
            if (nic != null) {
                mtuBytes = Math.max(wantedBytes, nic.getMTU());
                hasAddress = nic.inetAddresses().anyMatch(one -> !one.isLinkLocalAddress());
            }
        } catch (final SocketException e) {
            // It has gone meanwhile: no hardware, then.
            mtuBytes = wantedBytes;
        }
        return new BootPlan.Nic(
                name, mtuBytes, Files.exists(SYSTEM_NICS.resolve(name, "device")), hasAddress);
    }

    private static String rules(final String namespace) {
        try {
            return NetworkNamespace.run(orNull(namespace), NicCheck::rules);
        } catch (final IOException e) {
            return "";
        }
    }

    private static List<Finding> leftovers(
            final String subject, final String namespace, final String nic) {
        try {
            return NicCheck.leftovers(subject, orNull(namespace), nic);
        } catch (final IOException e) {
            return List.of();
        }
    }

    private static List<Finding> offloads(
            final String namespace, final String nic, final FrameConfig frame) {
        try {
            return NetworkNamespace.run(
                    orNull(namespace),
                    () -> {
                        final List<Finding> findings =
                                new ArrayList<>(TuningCheck.offloads(nic, NicOffloads.read(nic)));
                        final Set<NicFeature> on = NicFeature.allOn(nic);
                        findings.add(
                                TuningCheck.trains(
                                        nic, on, waitNs(namespace, nic), frame.mayUseUdp()));
                        findings.add(TuningCheck.longFrames(nic, on, frame.mayUseSegments()));
                        return findings;
                    });
        } catch (final IOException e) {
            return List.of(
                    Finding.warn("offloads " + nic, e.getMessage(), "run: ethtool -k " + nic));
        }
    }

    private static long waitNs(final String namespace, final String nic) {
        try (GroTimer timer = GroTimer.open(orNull(namespace), nic, "r")) {
            return timer.readNs();
        } catch (final IOException e) {
            return -1;
        }
    }

    private static String orNull(final String namespace) {
        return namespace.isEmpty() ? null : namespace;
    }
}
