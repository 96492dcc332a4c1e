package io.hxb.tool.doctor;

import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Examines what stands between a NIC and the sockets of its raw link. Stateless. */
final class NicCheck {
    private NicCheck() {}

    /** What is wrong with a NIC that is in the table, whoever else uses it. */
    static List<Finding> use(final String subject, final String name, final NicTable.Nic nic) {
        final List<Finding> findings = new ArrayList<>();
        if (!nic.linkType().isEmpty() && !nic.linkType().equals("ether")) {
            findings.add(
                    Finding.fail(
                            subject,
                            nic.linkType().equals("loopback")
                                    ? "is the loopback, on which each frame comes back to its"
                                            + " sender"
                                    : "has no Ethernet headers (link/"
                                            + nic.linkType()
                                            + "), as tunnels for IP packets",
                            "name an Ethernet NIC, or take backend: udp, which needs an IPv4"
                                    + " address of each node"));
        }
        if (nic.isBridged()) {
            findings.add(
                    Finding.fail(
                            subject,
                            "is a port of the bridge "
                                    + nic.master()
                                    + ", which takes all frames that arrive",
                            "ip link set " + name + " nomaster, or name another NIC"));
        } else if (!nic.master().isEmpty()) {
            findings.add(
                    Finding.warn(
                            subject,
                            "is a port of "
                                    + nic.master()
                                    + ", which sets it up and down and changes its MAC address",
                            "ip link set " + name + " nomaster; HXB uses several links at once"));
        }
        return findings;
    }

    /**
     * Whether others have a NIC receive frames that are not for this machine.
     *
     * @param isRunning whether the node runs, whose further address needs that at simple NICs.
     */
    static List<Finding> promiscuity(
            final String subject,
            final String name,
            final NicTable.Nic nic,
            final boolean isRunning) {
        return nic.promiscuity() <= (isRunning ? 1 : 0) || !nic.master().isEmpty()
                ? List.of()
                : List.of(
                        Finding.warn(
                                subject,
                                "is in promiscuous mode ("
                                        + nic.promiscuity()
                                        + " want it): CPUs also handle frames for others, where a"
                                        + " switch floods them",
                                "end captures and bridges that use it (ss -0 -p shows sockets), or"
                                        + " ip link set "
                                        + name
                                        + " promisc off"));
    }

    /** NICs of links that have the address of another NIC. */
    static List<Finding> addresses(final Map<String, String> subjects, final NicTable table) {
        final List<Finding> findings = new ArrayList<>();
        subjects.forEach(
                (name, subject) -> {
                    final String mac = table.nics().get(name).mac();
                    for (final String other : subjects.keySet()) {
                        if (!mac.isEmpty()
                                && name.compareTo(other) < 0
                                && mac.equals(table.nics().get(other).mac())) {
                            findings.add(
                                    Finding.fail(
                                            subject,
                                            "has the MAC address of " + other + ", " + mac,
                                            "give one of them another: ip link set "
                                                    + other
                                                    + " address 02:00:00:00:00:01, with digits of"
                                                    + " its own"));
                        }
                    }
                });
        return findings;
    }

    /**
     * Programs and rules before the sockets.
     *
     * @param isDeaf whether the node runs and hears nobody on the link, so that they are suspected.
     * @param rules what nft lists; empty if it is not known.
     */
    static List<Finding> before(
            final String subject,
            final String name,
            final NicTable.Nic nic,
            final boolean isDeaf,
            final String rules) {
        final List<Finding> findings = new ArrayList<>();
        if (!nic.xdp().isEmpty()) {
            findings.add(
                    suspect(
                            subject,
                            isDeaf,
                            "has an XDP program (id "
                                    + nic.xdp()
                                    + ") that is of no node and sees all frames first",
                            "let it pass EtherTypes 0x88B5 and 0x88B6 (bpftool prog show id "
                                    + nic.xdp()
                                    + "), or remove it: ip link set "
                                    + name
                                    + " xdp off"));
        }
        final String chain = chain(rules, name);
        if (!chain.isEmpty()) {
            findings.add(
                    suspect(
                            subject,
                            isDeaf,
                            "nftables drops frames that it receives, by " + chain,
                            "nft insert rule "
                                    + chain
                                    + " ether type { 0x88b5, 0x88b6 } accept, and let pass what"
                                    + " frame.encapsulation uses"));
        }
        return findings;
    }

    private static Finding suspect(
            final String subject, final boolean isDeaf, final String text, final String fix) {
        return isDeaf
                ? Finding.fail(subject, text + "; nobody is heard there", fix)
                : Finding.warn(subject, text, fix);
    }

    /**
     * The chain of netdev that drops what a NIC receives, such as {@code netdev t c}; empty if
     * there is none.
     */
    static String chain(final String ruleset, final String nic) {
        String table = "";
        String chain = "";
        String ofNic = "";
        for (final String line : ruleset.lines().map(String::strip).toList()) {
            if (line.startsWith("table ")) {
                table = line.substring("table ".length()).replace(" {", "");
            } else if (line.startsWith("chain ")) {
                chain = line.substring("chain ".length()).replace(" {", "");
                ofNic = "";
            } else if (line.contains("hook ingress") && names(line, nic)) {
                ofNic = table + " " + chain;
            }
            if (!ofNic.isEmpty()
                    && (line.contains("policy drop") || line.matches("(.* )?drop( comment .*)?"))) {
                return ofNic;
            }
        }
        return "";
    }

    // nft prints names with quotes, versions before 1.0 without.
    private static boolean names(final String line, final String nic) {
        return line.contains('"' + nic + '"') || line.contains("device " + nic + " ");
    }

    /** The rules of nftables in the network namespace of this thread; empty if not known. */
    static String rules() {
        return Programs.find("nft")
                .map(nft -> Shell.run("", List.of(nft.toString(), "list", "ruleset")))
                .filter(outcome -> outcome.exitStatus() == 0)
                .map(Shell.Outcome::output)
                .orElse("");
    }

    /** Whether a NIC is set up when the machine starts; nothing where others see to that. */
    static List<Finding> atBoot(final String subject, final BootPlan plan) {
        return switch (plan.state()) {
            case DONE -> List.of(Finding.ok(subject, plan.text()));
            case TO_WRITE ->
                    List.of(
                            Finding.warn(
                                    subject,
                                    plan.text(),
                                    "hxb doctor --fix writes "
                                            + plan.file().path()
                                            + "; hxb doctor --fix --dry-run shows it"));
            case OF_OTHERS -> List.of();
        };
    }

    /**
     * What a node that was killed has left changed.
     *
     * @param namespace of the NIC, null for that of this process.
     */
    static List<Finding> leftovers(final String subject, final String namespace, final String name)
            throws IOException {
        return Leftovers.dead(namespace, name).stream()
                .map(
                        pid ->
                                Finding.warn(
                                        subject,
                                        "a node that was killed (pid "
                                                + pid
                                                + ") has left rx-udp-gro-forwarding on",
                                        "run hxb doctor --fix, or start the node, which switches"
                                                + " it off when it ends"))
                .toList();
    }
}
