package io.hxb.tool.doctor;

import io.hxb.tool.machine.Shell;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The NICs of one network namespace as {@code ip -o link} lists them. Immutable.
 *
 * @param nics by name.
 */
record NicTable(Map<String, Nic> nics) {
    private static final Pattern LINE =
            Pattern.compile("\\d+: ([^:@]+)(?:@\\S+)?: <([^>]*)> mtu (\\d+) .*");

    private static final Pattern TYPE = Pattern.compile(" link/(\\S+)");
    private static final Pattern MAC = Pattern.compile(" link/ether ([0-9a-f:]{17})");
    private static final Pattern MASTER = Pattern.compile("> mtu \\d+ .*? master (\\S+) ");
    private static final Pattern PROMISCUITY = Pattern.compile(" promiscuity (\\d{1,6})");
    private static final Pattern XDP = Pattern.compile(" prog/xdp id (\\d+)");

    /**
     * One NIC. Immutable.
     *
     * @param isUp set up by its administrator.
     * @param hasCarrier plugged in.
     * @param mtuBytes its MTU.
     * @param linkType what its frames are, {@code ether} for those of Ethernet.
     * @param mac its address, empty if it has none.
     * @param master the bridge, bond or other device whose port it is; empty if it is none.
     * @param isBridged whether that is a bridge.
     * @param xdp number of the XDP program before it; empty if there is none.
     * @param promiscuity how many have it receive frames for others, too.
     */
    record Nic(
            boolean isUp,
            boolean hasCarrier,
            int mtuBytes,
            String linkType,
            String mac,
            String master,
            boolean isBridged,
            String xdp,
            int promiscuity) {}

    /** Copies the map. */
    NicTable {
        nics = Map.copyOf(nics);
    }

    /**
     * Asks the kernel.
     *
     * @param namespace empty for that of this process.
     * @return empty when the namespace cannot be entered.
     */
    static Optional<NicTable> of(final String namespace) {
        final List<String> command = new ArrayList<>(List.of("ip"));
        if (!namespace.isEmpty()) {
            command.addAll(List.of("-n", namespace));
        }
        command.addAll(List.of("-d", "-o", "link", "show"));
        final Shell.Outcome outcome = Shell.run("", command);
        return outcome.exitStatus() == 0 ? Optional.of(parse(outcome.output())) : Optional.empty();
    }

    /** Reads what {@code ip -o link} printed. */
    static NicTable parse(final String text) {
        final Map<String, Nic> nics = new LinkedHashMap<>();
        for (final String line : text.lines().toList()) {
            final String words = line.replace('\\', ' ');
            final Matcher matcher = LINE.matcher(words);
            if (matcher.matches()) {
                final List<String> flags = List.of(matcher.group(2).split(",", -1));
                nics.put(
                        matcher.group(1),
                        new Nic(
                                flags.contains("UP"),
                                flags.contains("LOWER_UP"),
                                Integer.parseInt(matcher.group(3)),
                                first(TYPE, words),
                                first(MAC, words),
                                first(MASTER, words),
                                words.contains(" bridge_slave "),
                                first(XDP, words),
                                Integer.parseInt("0" + first(PROMISCUITY, words))));
            }
        }
        return new NicTable(nics);
    }

    private static String first(final Pattern pattern, final String text) {
        final Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }
}
