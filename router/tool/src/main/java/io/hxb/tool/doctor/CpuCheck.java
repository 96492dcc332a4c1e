package io.hxb.tool.doctor;

import io.hxb.config.LoopConfig;
import io.hxb.config.Quantity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;

/** Examines the CPUs that loops are to run on. Stateless. */
final class CpuCheck {
    /** A CPU that takes longer to wake up is seen in round trips. */
    private static final long LONG_WAKE_US = 50;

    private CpuCheck() {}

    /**
     * What this machine has. Immutable.
     *
     * @param online as /sys/devices/system/cpu/online has it, such as {@code 0-3,6}.
     * @param allowed likewise, those that this process may use (its cpuset).
     */
    record Cpus(String online, String allowed) {
        /** Asks the kernel. */
        static Cpus ofThisMachine() {
            try (Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
                final String name = "Cpus_allowed_list:";
                return new Cpus(
                        Files.readString(Path.of("/sys/devices/system/cpu/online")).strip(),
                        status.filter(line -> line.startsWith(name))
                                .map(line -> line.substring(name.length()).strip())
                                .findFirst()
                                .orElse(""));
            } catch (final IOException e) {
                return new Cpus("", "");
            }
        }

        private static BitSet set(final String list) {
            final BitSet cpus = new BitSet();
            for (final String range : list.split(",", -1)) {
                final String[] ends = range.strip().split("-", -1);
                if (range.strip().matches("\\d{1,5}(-\\d{1,5})?")) {
                    cpus.set(
                            Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
                }
            }
            return cpus;
        }
    }

    /**
     * What the CPUs and the priority of the loops of one node mean here.
     *
     * @param loops those of the cluster file.
     */
    static List<Finding> loops(final LoopConfig loops, final Cpus cpus) {
        final List<Finding> findings = new ArrayList<>();
        final BitSet online = Cpus.set(cpus.online());
        final BitSet allowed = Cpus.set(cpus.allowed());
        outside(loops.cpus(), online, "that are offline or not there", cpus.online(), findings);
        outside(
                loops.cpus().stream().filter(cpu -> online.isEmpty() || online.get(cpu)).toList(),
                allowed,
                "that this process may not use (its cpuset)",
                cpus.allowed(),
                findings);
        final BitSet usable = (BitSet) allowed.clone();
        if (!online.isEmpty()) {
            usable.and(online);
        }
        if (loops.priority() > 0
                && loops.waiting() == LoopConfig.Waiting.SPIN
                && !usable.isEmpty()
                && loops.loopCount() >= usable.cardinality() - 1) {
            findings.add(
                    Finding.fail(
                            "loop.priority",
                            loops.loopCount()
                                    + " loops that spin at SCHED_FIFO priority take "
                                    + (loops.loopCount() >= usable.cardinality()
                                            ? "all"
                                            : "all but one")
                                    + " of "
                                    + usable.cardinality()
                                    + " CPUs: the kernel's own threads, such as ksoftirqd, which"
                                    + " delivers frames, starve",
                            "take loop.wait: hybrid, or leave loop.priority out, or have two CPUs"
                                    + " more than loops"));
        }
        return findings;
    }

    private static void outside(
            final List<Integer> wanted,
            final BitSet there,
            final String what,
            final String text,
            final List<Finding> findings) {
        final List<Integer> outside =
                there.isEmpty()
                        ? List.of()
                        : wanted.stream().filter(cpu -> !there.get(cpu)).toList();
        if (!outside.isEmpty()) {
            findings.add(
                    Finding.fail(
                            "loop.cpus",
                            "names CPUs " + outside + " " + what + "; there are " + text,
                            "name others in loop.cpus, or none; loops run on any CPU until then"));
        }
    }

    /**
     * How deeply idle CPUs sleep.
     *
     * @param cpus /sys/devices/system/cpu.
     */
    static Finding sleep(final Path cpus) {
        long deepestUs = 0;
        String deepest = "";
        try (Stream<Path> states = Files.list(cpus.resolve("cpu0/cpuidle"))) {
            for (final Path state : states.sorted().toList()) {
                final long wakeUs = number(state.resolve("latency"));
                if (number(state.resolve("disable")) == 0 && wakeUs > deepestUs) {
                    deepestUs = wakeUs;
                    deepest = Files.readString(state.resolve("name")).strip();
                }
            }
        } catch (final IOException e) {
            return Finding.ok("cpu sleep", "not visible here (virtual machine or container)");
        }
        return deepestUs <= LONG_WAKE_US
                ? Finding.ok("cpu sleep", "an idle CPU wakes up within " + deepestUs + " us")
                : Finding.warn(
                        "cpu sleep",
                        "an idle CPU takes "
                                + Quantity.formatDuration(deepestUs * 1_000)
                                + " to wake up ("
                                + deepest
                                + "): round trips grow by that",
                        "cpupower idle-set -D 10, or loop.wait: spin with a CPU for each loop");
    }

    private static long number(final Path file) throws IOException {
        final String text = Files.exists(file) ? Files.readString(file).strip() : "0";
        return text.matches("\\d{1,9}") ? Long.parseLong(text) : 0;
    }
}
