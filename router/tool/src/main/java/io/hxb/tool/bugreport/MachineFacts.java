package io.hxb.tool.bugreport;

import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a report has of the machine: versions, limits, NICs, log. Stateless. */
final class MachineFacts {
    private static final int LOG_LINES = 500;
    private static final int LOG_BYTES = 256 * 1024;
    private static final List<String> KERNEL_SETTINGS =
            List.of(
                    "net/core/rmem_max",
                    "net/core/wmem_max",
                    "net/core/netdev_max_backlog",
                    "net/core/netdev_budget",
                    "net/core/bpf_jit_enable",
                    "kernel/sched_autogroup_enabled",
                    "kernel/sched_rt_runtime_us",
                    "vm/nr_hugepages",
                    "vm/max_map_count",
                    "fs/file-max");

    private MachineFacts() {}

    /** Versions of HXB, the JVM and the kernel. */
    static String versions(final String hxb) throws IOException {
        return hxb
                + "\nJava "
                + Runtime.version()
                + ", "
                + System.getProperty("java.vm.name")
                + ", "
                + System.getProperty("java.vendor")
                + "\nCPUs of this process: "
                + Runtime.getRuntime().availableProcessors()
                + "\n"
                + Files.readString(Path.of("/proc/version"))
                + file("/etc/os-release");
    }

    /** Limits of this process and settings of the kernel. */
    static String limits() throws IOException {
        final StringBuilder text =
                new StringBuilder(Files.readString(Path.of("/proc/self/limits")));
        for (final String name : KERNEL_SETTINGS) {
            text.append(name.replace('/', '.')).append(" = ");
            text.append(file("/proc/sys/" + name).strip()).append('\n');
        }
        return text.append(file("/proc/meminfo")).toString();
    }

    // Some settings exist on other kernels only.
    private static String file(final String name) {
        try {
            return Files.readString(Path.of(name));
        } catch (final IOException e) {
            return "cannot be read\n";
        }
    }

    /**
     * Driver, offloads, MTU, rings and counters of the NICs of a network namespace.
     *
     * @param namespace empty for that of this process.
     * @param nics names of those that are looked at closely.
     * @throws ToolException if a program is missing, or the namespace cannot be entered.
     */
    static String nics(final String namespace, final List<String> nics) {
        final StringBuilder text = new StringBuilder();
        text.append(output(namespace, List.of("ip", "-details", "-statistics", "link", "show")));
        if (nics.isEmpty()) {
            return text.toString();
        }
        if (Programs.find("ethtool").isEmpty()) {
            return text.append("\n\ndriver, offloads and rings: ethtool is not installed\n")
                    .toString();
        }
        for (final String nic : nics) {
            for (final String option : List.of("-i", "-k", "-g", "-c")) {
                text.append("\n\nethtool ").append(option).append(' ').append(nic).append('\n');
                text.append(output(namespace, List.of("ethtool", option, nic)));
            }
        }
        return text.append('\n').toString();
    }

    private static String output(final String namespace, final List<String> words) {
        final List<String> command = new ArrayList<>();
        if (!namespace.isEmpty()) {
            command.addAll(List.of("ip", "netns", "exec", namespace));
        }
        command.addAll(words);
        return Shell.run("", command).output();
    }

    /** The last lines of the service in the journal. */
    static String journal() {
        return Shell.check(
                "",
                List.of(
                        "journalctl",
                        "--no-pager",
                        "--quiet",
                        "--unit=hxb-node",
                        "--lines=" + LOG_LINES));
    }

    /** The last lines of a file. */
    static String tail(final Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        final int from = Math.max(0, bytes.length - LOG_BYTES);
        final String text = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
        final List<String> lines = text.lines().toList();
        return String.join(
                "\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }
}
