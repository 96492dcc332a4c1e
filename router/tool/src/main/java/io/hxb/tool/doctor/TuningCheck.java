package io.hxb.tool.doctor;

import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicOffloads;
import io.hxb.tool.machine.Privileges;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Examines what makes a node faster or slower: pages, clocks, offloads. Stateless. */
final class TuningCheck {
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final String POOL_MAPPING = "/memfd:hxb-receive";

    /** What to do where loops should spin, but have no CPUs of their own. */
    static final String CROWDING_FIX =
            "give each spinning loop and application a CPU of its own (loop.cpus), run fewer of"
                    + " them (loop.loops), or take the default, loop.wait: hybrid (--hybrid)";

    private TuningCheck() {}

    /**
     * Compares loops that spin with the CPUs that they need.
     *
     * @param loops of all nodes on this machine.
     * @param cpus online.
     */
    static Finding spinning(final int loops, final int cpus) {
        final String numbers = "spinning loops here: " + loops + ", CPUs: " + cpus;
        return loops < cpus
                ? Finding.ok("loop.wait", numbers)
                : Finding.warn(
                        "loop.wait",
                        numbers
                                + (loops == cpus
                                        ? ": none is left to applications, to which loops give way"
                                        : ": those that share one sleep when they have nothing to"
                                                + " do, as with hybrid"),
                        CROWDING_FIX);
    }

    /**
     * Whether the kernel shares CPU time out among sessions (sched(7), autogroup) instead of among
     * threads, of whose nice values it then knows nothing in other sessions. Where threads that
     * compute outnumber the CPUs, loops have been seen to wait for seconds (Linux 6.18).
     *
     * @param file the kernel's switch; there is none where it has no such groups.
     */
    static Finding sessionGroups(final Path file) {
        if (Privileges.kernelNumber(file) != 1) {
            return Finding.ok("CPU time of sessions", "shared out among threads");
        }
        return Finding.warn(
                "CPU time of sessions",
                "shared out among sessions: with more threads that compute than CPUs, nodes can"
                        + " starve, whatever their priority, and peers take them for dead",
                "sysctl -w kernel.sched_autogroup_enabled=0 (and in /etc/sysctl.d/)");
    }

    /** Reserves a huge page, as a node does for its pool, and gives it back. */
    static Finding hugePages(final long free) {
        final String fix =
                "sysctl -w vm.nr_hugepages=64 (and in /etc/sysctl.d/; a pool of 4,096 buffers of 12"
                        + " KiB takes 24)";
        if (free <= 0) {
            return Finding.warn(
                    "huge pages",
                    "none free: the receive pool takes small pages, which costs a few percent",
                    fix);
        }
        try (SharedMemory page = SharedMemory.createHuge("hxb-doctor", HUGE_PAGE_BYTES)) {
            return Finding.ok(
                    "huge pages",
                    free + " of 2 MB free, " + page.lengthBytes() + " bytes of them could be had");
        } catch (final LinuxException e) {
            return Finding.warn(
                    "huge pages",
                    free + " of 2 MB free, but none could be taken: " + e.getMessage(),
                    "running nodes have reserved them: raise vm.nr_hugepages; or the control group"
                            + " has a limit: hugetlb.2MB.rsvd.max in /sys/fs/cgroup");
        }
    }

    /**
     * Asks whether the pool of a running node lies in huge pages.
     *
     * @param smaps /proc/PID/smaps of the node.
     */
    static Finding pool(final String subject, final Path smaps) {
        final String name = subject + " pool";
        try (Stream<String> lines = Files.lines(smaps)) {
            final List<Long> pageBytes = poolPageBytes(lines.toList());
            final long huge = pageBytes.stream().filter(size -> size >= HUGE_PAGE_BYTES).count();
            if (pageBytes.isEmpty()) {
                return Finding.warn(
                        name, "not found in " + smaps, "restart the node if it is of an older HXB");
            }
            return huge == pageBytes.size()
                    ? Finding.ok(name, "lies in huge pages")
                    : Finding.warn(
                            name,
                            huge == 0
                                    ? "lies in small pages"
                                    : "of its process "
                                            + huge
                                            + " of "
                                            + pageBytes.size()
                                            + " pools lie in huge pages",
                            "sysctl -w vm.nr_hugepages=64 (24 for a pool of the default size), then"
                                    + " restart the node (pool.hugePages: auto or on)");
        } catch (final IOException e) {
            return Finding.warn(
                    name, "cannot be examined: " + e.getMessage(), "run doctor as root");
        }
    }

    /** Page sizes of the receive pools among the mappings, one per node. */
    static List<Long> poolPageBytes(final List<String> smaps) {
        final List<Long> sizes = new ArrayList<>();
        boolean isPool = false;
        for (final String line : smaps) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isPool = line.contains(POOL_MAPPING);
            } else if (isPool && line.startsWith("KernelPageSize:")) {
                sizes.add(Long.parseLong(line.replaceAll("\\D", "")) << 10);
            }
        }
        return sizes;
    }

    /**
     * Asks how the CPUs choose their clock.
     *
     * @param cpus /sys/devices/system/cpu.
     */
    static Finding governor(final Path cpus) {
        final Set<String> governors = new TreeSet<>();
        try (Stream<Path> folders = Files.list(cpus)) {
            for (final Path folder : folders.toList()) {
                final Path file = folder.resolve("cpufreq/scaling_governor");
                if (Files.isReadable(file)) {
                    governors.add(Files.readString(file).strip());
                }
            }
        } catch (final IOException e) {
            return Finding.ok("cpu governor", "not visible: " + e.getMessage());
        }
        if (governors.isEmpty()) {
            return Finding.ok("cpu governor", "not visible here (virtual machine or container)");
        }
        return governors.equals(Set.of("performance"))
                ? Finding.ok("cpu governor", "performance")
                : Finding.warn(
                        "cpu governor",
                        String.join(", ", governors) + ": clocks rise late, round trips grow",
                        "cpupower frequency-set -g performance");
    }

    /** What the offloads of a NIC mean for HXB's frames. */
    static List<Finding> offloads(final String nic, final NicOffloads offloads) {
        final String subject = "offloads " + nic;
        final List<Finding> findings = new ArrayList<>();
        if (offloads.lro()) {
            findings.add(
                    Finding.warn(
                            subject,
                            "lro is on: the NIC joins frames of others into large ones, which"
                                    + " delays ours and keeps XDP off",
                            "ethtool -K " + nic + " lro off"));
        }
        findings.add(
                Finding.ok(
                        subject,
                        "gro "
                                + word(offloads.gro())
                                + ", gso "
                                + word(offloads.gso())
                                + ", tso "
                                + word(offloads.tso())
                                + ", checksums rx "
                                + word(offloads.rxChecksums())
                                + " tx "
                                + word(offloads.txChecksums())
                                + ": for IP only, frames of ours pass them by"));
        findings.add(
                Finding.ok(
                        "vlan tags " + nic,
                        offloads.rxVlan()
                                ? "taken out by the NIC on receipt; the node puts them back"
                                : "left in received frames"));
        return findings;
    }

    /**
     * What a NIC means for frames that travel by IP, in trains.
     *
     * @param features those that are on.
     * @param waitNs gro_flush_timeout, or -1 if it is not known.
     * @param isWanted whether the cluster file lets them travel so.
     */
    static Finding trains(
            final String nic,
            final Set<NicFeature> features,
            final long waitNs,
            final boolean isWanted) {
        final String subject = "trains " + nic;
        final boolean isJoined = features.contains(NicFeature.GRO);
        final String what =
                (isWanted ? "frames by IP: cut by " : "frames by IP (none, as configured): cut by ")
                        + (features.contains(NicFeature.UDP_SEGMENTATION)
                                ? "the NIC"
                                : "the kernel")
                        + (isJoined ? ", joined by the kernel" : ", not joined, since gro is off")
                        + (features.contains(NicFeature.UDP_GRO_FORWARDING)
                                ? ""
                                : "; rx-udp-gro-forwarding is off, which nodes switch on")
                        + (isJoined ? waiting(waitNs) : "");
        return isJoined || !isWanted
                ? Finding.ok(subject, what)
                : Finding.warn(subject, what, "ethtool -K " + nic + " gro on");
    }

    /**
     * What becomes of frames longer than the MTU that go as segments of TCP.
     *
     * @param features those that the NIC has on.
     * @param isWanted whether frames go so.
     */
    static Finding longFrames(
            final String nic, final Set<NicFeature> features, final boolean isWanted) {
        final String subject = "long frames " + nic;
        final boolean isJoined = features.contains(NicFeature.GRO);
        final String what =
                (isWanted ? "as TCP: cut by " : "as TCP (none, as configured): cut by ")
                        + (features.contains(NicFeature.TCP_SEGMENTATION)
                                ? "the NIC"
                                : "the kernel")
                        + (isJoined ? ", joined by the kernel" : ", not joined, since gro is off");
        return isJoined || !isWanted
                ? Finding.ok(subject, what)
                : Finding.warn(subject, what, "ethtool -K " + nic + " gro on");
    }

    private static String waiting(final long waitNs) {
        if (waitNs < 0) {
            return "";
        }
        return waitNs == 0
                ? "; gro_flush_timeout is 0, which nodes that may write to /sys raise under bulk"
                : "; gro_flush_timeout is " + waitNs / 1_000 + " us";
    }

    private static String word(final boolean isOn) {
        return isOn ? "on" : "off";
    }
}
