package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.SocketConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.link.raw.IpHeaders;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.GroTimer;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicFinder;
import io.hxb.os.nic.NicOffloads;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Examines the NICs of the raw links of one node. Stateless. */
final class NicsCheck {
    private static final Path SYSTEM_NICS = Path.of("/sys/class/net");
    private static final int FULL_PERCENT = 100;

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
        final Map<Integer, IngressCheck.Hearing> hearing =
                isRunning ? hearing(config, node) : Map.of();
        final String rules = rules(namespace);
        for (final LinkConfig link : config.links(node)) {
            final String name = name(namespace, link.nic());
            final String subject = "nic " + name + " (" + link.label() + ")";
            final NicTable.Nic nic = table.get().nics().get(name);
            if (nic == null) {
                findings.add(
                        Finding.fail(
                                subject,
                                "is not there",
                                "correct links: in the cluster file; there are "
                                        + table.get().nics().keySet()
                                        + "; one whose name changes can be given as [{mac:"
                                        + " ADDRESS}] or [{path: PATH}]"));
                continue;
            }
            mtus.computeIfAbsent(nic.mtuBytes(), key -> new ArrayList<>()).add(name);
            subjects.put(name, subject);
            findings.add(state(subject, name, nic));
            findings.addAll(NicCheck.use(subject, name, nic));
            final IngressCheck.Hearing heard =
                    hearing.getOrDefault(link.index(), IngressCheck.Hearing.ABSENT);
            findings.addAll(
                    NicCheck.before(subject, name, nic, heard == IngressCheck.Hearing.DEAF, rules));
            findings.addAll(ingress(config, node, subject, name, heard, rules));
            findings.addAll(NicCheck.promiscuity(subject, name, nic, isRunning));
            findings.addAll(leftovers(subject, namespace, name));
            if (namespace.isEmpty()) {
                tuning.addAll(
                        NicCheck.atBoot(
                                subject,
                                BootPlan.of(
                                        Path.of("/"), bootNic(name, config.socket().mtuBytes()))));
            }
            tuning.addAll(offloads(namespace, name, config.frame()));
            findings.addAll(mtu(subject, name, nic, config.socket().mtuBytes()));
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

    /** The name that the NIC of a link has now; what the file has if that is not known. */
    static String name(final String namespace, final String selector) {
        try {
            return NicFinder.isLasting(selector)
                    ? NetworkNamespace.run(orNull(namespace), () -> NicFinder.name(selector))
                    : selector;
        } catch (final IOException e) {
            return selector;
        }
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

    /** How a node that runs hears others on its links, by their numbers. */
    private static Map<Integer, IngressCheck.Hearing> hearing(
            final ClusterConfig config, final int node) {
        final Map<Integer, IngressCheck.Hearing> hearing = new HashMap<>();
        try (CounterReader reader = CounterReader.open(config.countersPath(node))) {
            for (final LinkConfig link : config.links(node)) {
                hearing.put(link.index(), hearing(reader, link.index()));
            }
            return hearing;
        } catch (final IOException e) {
            // It has ended meanwhile.
            return Map.of();
        }
    }

    private static IngressCheck.Hearing hearing(final CounterReader reader, final int link) {
        if (reader.value(CounterType.LINK_NEIGHBOURS_NODES, link) == 0) {
            return IngressCheck.Hearing.DEAF;
        }
        return reader.value(CounterType.LINK_FAILED_NODES, link) > 0
                        || reader.value(CounterType.LINK_WEIGHT_PERCENT, link) < FULL_PERCENT
                        || reader.value(CounterType.LINK_LONG_FALLBACKS_EVENTS, link) > 0
                ? IngressCheck.Hearing.DOUBTFUL
                : IngressCheck.Hearing.GOOD;
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

    private static List<Finding> ingress(
            final ClusterConfig config,
            final int node,
            final String subject,
            final String nic,
            final IngressCheck.Hearing hearing,
            final String rules) {
        final Set<Integer> types = new HashSet<>(Set.of(config.frame().etherType()));
        if (hearing == IngressCheck.Hearing.DEAF
                || config.socket().kernelRelay() == SocketConfig.KernelRelay.OFF) {
            // Otherwise a program of the node itself takes those for other nodes.
            types.add(config.frame().relayEtherType());
        }
        final IngressSample.Wanted wanted =
                new IngressSample.Wanted(
                        types, IpHeaders.address(config.shape().coordinates(node)));
        try {
            return NetworkNamespace.run(
                    orNull(config.netns(node)),
                    () ->
                            IngressCheck.run(
                                    subject, nic, hearing, wanted, NicCheck.chain(rules, nic)));
        } catch (final IOException e) {
            // Not as this user; other checks name the privilege.
            return List.of();
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
