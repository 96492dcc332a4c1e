package io.hxb.tool.doctor;

import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whether packets that this machine forwards between the virtual NIC and others, such as those of
 * containers, are dropped by a policy. Stateless.
 */
final class ForwardCheck {
    private static final List<Path> SWITCHES =
            List.of(
                    Path.of("/proc/sys/net/ipv4/ip_forward"),
                    Path.of("/proc/sys/net/ipv6/conf/all/forwarding"));
    private static final String UNKNOWN = "whether forwarded packets are dropped is not known: ";

    private ForwardCheck() {}

    /** Looks in the network namespace of the calling thread; empty if it forwards nothing. */
    static Optional<Finding> run(final String device, final String subject) {
        if (SWITCHES.stream().noneMatch(file -> Privileges.kernelNumber(file) > 0)) {
            return Optional.empty();
        }
        final List<Rules> rules = new ArrayList<>();
        ask("nft", "list", "ruleset").ifPresent(rules::add);
        ask("iptables", "-S").ifPresent(rules::add);
        ask("ip6tables", "-S").ifPresent(rules::add);
        return Optional.of(judge(rules, device, subject));
    }

    /**
     * The rules of one program.
     *
     * @param program its name.
     * @param isKnown whether it printed them.
     * @param text what it printed.
     */
    record Rules(String program, boolean isKnown, String text) {}

    private static Optional<Rules> ask(final String program, final String... arguments) {
        return Programs.find(program)
                .map(
                        file -> {
                            final List<String> command = new ArrayList<>();
                            command.add(file.toString());
                            command.addAll(List.of(arguments));
                            final Shell.Outcome outcome = Shell.run("", command);
                            return new Rules(program, outcome.exitStatus() == 0, outcome.output());
                        });
    }

    /** What the rules of a machine that forwards mean for the device. */
    static Finding judge(final List<Rules> all, final String device, final String subject) {
        for (final Rules rules : all) {
            final List<String> chains =
                    rules.program().equals("nft")
                            ? nftables(rules.text(), device)
                            : iptables(rules, device);
            if (rules.isKnown() && !chains.isEmpty()) {
                final String chain = chains.getFirst();
                return Finding.warn(
                        subject,
                        "this machine forwards packets, but drops those from and to other NICs and"
                                + " containers: the policy of "
                                + chain
                                + " is drop, as Docker sets it",
                        rules.program().equals("nft")
                                ? both(
                                        "nft insert rule " + chain + " ",
                                        "ifname " + device + " accept")
                                : both(
                                        rules.program() + " -I FORWARD -",
                                        " " + device + " -j ACCEPT"));
            }
        }
        if (all.isEmpty()) {
            return Finding.ok(subject, UNKNOWN + "there is neither nft nor iptables");
        }
        return all.stream()
                .filter(rules -> !rules.isKnown())
                .findFirst()
                .map(
                        rules ->
                                Finding.ok(
                                        subject, UNKNOWN + rules.program() + " needs root to look"))
                .orElseGet(() -> Finding.ok(subject, "forwarded packets are not dropped"));
    }

    // One rule for what comes in by the device, another one for what goes out.
    private static String both(final String start, final String end) {
        return start + "i" + end + "; " + start + "o" + end;
    }

    /**
     * Chains that drop what they do not know, without a rule that accepts packets of the device.
     *
     * @param ruleset of {@code nft list ruleset}.
     * @return such as {@code ip filter FORWARD}.
     */
    private static List<String> nftables(final String ruleset, final String device) {
        final Map<String, String> dropping = new LinkedHashMap<>();
        final Set<String> accepting = new HashSet<>();
        String table = "";
        String chain = "";
        for (final String line : ruleset.lines().map(String::strip).toList()) {
            if (line.startsWith("table ")) {
                table = line.substring("table ".length()).replace(" {", "");
            } else if (line.startsWith("chain ")) {
                chain = line.substring("chain ".length()).replace(" {", "");
            } else if (line.contains("hook forward") && line.contains("policy drop")) {
                dropping.put(table + " " + chain, table);
            } else if (line.contains('"' + device + '"') && line.endsWith("accept")) {
                // In the chain itself, or in one that it continues in, such as DOCKER-USER.
                accepting.add(table);
            }
        }
        return dropping.entrySet().stream()
                .filter(each -> !accepting.contains(each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<String> iptables(final Rules rules, final String device) {
        final List<String> lines = rules.text().lines().map(String::strip).toList();
        return lines.contains("-P FORWARD DROP")
                        && lines.stream().noneMatch(line -> isAccepting(line, device))
                ? List.of(rules.program() + " FORWARD")
                : List.of();
    }

    // Also in a chain of its own, such as DOCKER-USER.
    private static boolean isAccepting(final String line, final String device) {
        return line.endsWith("-j ACCEPT")
                && (line.contains("-i " + device + " ") || line.contains("-o " + device + " "));
    }
}
