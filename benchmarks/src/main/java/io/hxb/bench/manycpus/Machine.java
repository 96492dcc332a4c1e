package io.hxb.bench.manycpus;

import io.hxb.bench.harness.Peers;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What this machine is, and what it permits. Stateless. */
final class Machine {
    private static final String OK = "ok";

    private Machine() {}

    static int cpus() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Describes it. */
    static void describe(final ObjectNode json) {
        json.put("cpus", cpus());
        json.put("model", line("/proc/cpuinfo", "model name").orElse("unknown"));
        json.put("memory", line("/proc/meminfo", "MemTotal").orElse("unknown"));
        json.put("kernel", read("/proc/version").orElse(System.getProperty("os.version")));
        json.put("hypervisor", read("/sys/hypervisor/type").orElse(""));
        json.put("system", line("/etc/os-release", "PRETTY_NAME").orElse("unknown"));
        json.put("user", System.getProperty("user.name"));
        json.put("java", Runtime.version().toString());
        json.put("load_at_start", read("/proc/loadavg").orElse("unknown"));
    }

    /**
     * Tries what the experiments need.
     *
     * @param probe program that sends frames from a NIC x0 by packet sockets.
     * @return by what was tried, "ok" or the error message.
     */
    static Map<String, String> permits(final List<String> probe) {
        final String left = "hxbp" + ProcessHandle.current().pid() + "l";
        final String right = "hxbp" + ProcessHandle.current().pid() + "r";
        final Map<String, String> permits = new LinkedHashMap<>();
        permits.put("namespaces", tried("ip netns add " + left + " && ip netns add " + right));
        if (permits.get("namespaces").equals(OK)) {
            final String in = "ip netns exec " + left + " ";
            final String pair = "ip link add x0 netns " + left + " type veth peer name x0 netns ";
            final String up = " link set x0 up";
            final String ends = " && ip -n " + left + up + " && ip -n " + right + up;
            permits.put("veth", tried(pair + right + ends));
            permits.put("packet sockets", tried(in + String.join(" ", probe)));
            permits.put("sysctl", tried(in + "sysctl -qw net.ipv6.conf.default.disable_ipv6=1"));
            permits.put(
                    "tbf",
                    tried(in + "tc qdisc add dev x0 root tbf rate 1gbit burst 64kb limit 1mb"));
            permits.put("mptcp", tried(in + "ip mptcp limits set subflows 8 add_addr_accepted 8"));
            permits.put("sysfs", tried(in + "cat /sys/class/net/x0/statistics/rx_packets"));
        }
        permits.put("unshare -u", tried("unshare -u true"));
        for (final String name : List.of(left, right)) {
            tried("ip netns del " + name + " 2>/dev/null");
        }
        return permits;
    }

    /** Has two nodes of HXB talk over raw links for a moment. */
    static String rawLinks() {
        final String name = "many" + ProcessHandle.current().pid();
        final List<String> command = Peers.hxb("lab", "run", "perf", "--name", name);
        command.addAll(List.of("--shape", "2", "--links", "1", "--backend", "raw"));
        command.addAll(List.of("--seconds", "0.3", "--warmup", "0.2"));
        return tried(String.join(" ", command), "20");
    }

    /** True if that was permitted. */
    static boolean isPermitted(final Map<String, String> permits, final String name) {
        return OK.equals(permits.get(name));
    }

    private static String tried(final String script) {
        return tried(script, "8");
    }

    private static String tried(final String script, final String seconds) {
        try {
            final Shell.Outcome outcome =
                    Shell.run("", List.of("timeout", "-k", "1", seconds, "sh", "-c", script));
            return outcome.exitStatus() == 0
                    ? OK
                    : ("status " + outcome.exitStatus() + ": " + outcome.output()).strip();
        } catch (final ToolException e) {
            return e.getMessage();
        }
    }

    private static Optional<String> read(final String file) {
        try {
            return Optional.of(Files.readString(Path.of(file)).strip());
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> line(final String file, final String key) {
        return read(file).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).replaceAll("^[\\s:=\"]+|\"$", "").strip())
                .findFirst();
    }
}
