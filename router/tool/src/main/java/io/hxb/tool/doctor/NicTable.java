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

    /**
     * One NIC. Immutable.
     *
     * @param isUp set up by its administrator.
     * @param hasCarrier plugged in.
     * @param mtuBytes its MTU.
     */
    record Nic(boolean isUp, boolean hasCarrier, int mtuBytes) {}

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
        command.addAll(List.of("-o", "link", "show"));
        final Shell.Outcome outcome = Shell.run("", command);
        return outcome.exitStatus() == 0 ? Optional.of(parse(outcome.output())) : Optional.empty();
    }

    /** Reads what {@code ip -o link} printed. */
    static NicTable parse(final String text) {
        final Map<String, Nic> nics = new LinkedHashMap<>();
        for (final String line : text.lines().toList()) {
            final Matcher matcher = LINE.matcher(line.replace('\\', ' '));
            if (matcher.matches()) {
                final List<String> flags = List.of(matcher.group(2).split(",", -1));
                nics.put(
                        matcher.group(1),
                        new Nic(
                                flags.contains("UP"),
                                flags.contains("LOWER_UP"),
                                Integer.parseInt(matcher.group(3))));
            }
        }
        return new NicTable(nics);
    }
}
