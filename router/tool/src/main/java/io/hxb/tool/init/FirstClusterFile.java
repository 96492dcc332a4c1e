package io.hxb.tool.init;

import io.hxb.config.Dimensions;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The text of a first cluster file, with comments for its reader. Stateless. */
final class FirstClusterFile {
    private FirstClusterFile() {}

    /**
     * The file for a hyper-crossbar that was found.
     *
     * @param cluster name of the cluster.
     */
    static String of(final String cluster, final Cabling cabling, final NeighbourSurvey known) {
        final StringBuilder text = new StringBuilder(head(cluster));
        text.append("shape: ")
                .append(Cabling.shape(cabling.extents()))
                .append("  # machines along X, Y, ...: found by listening\nbackend: raw\n");
        final List<Map<String, List<String>>> links = new ArrayList<>();
        for (int node = 0; node < cabling.machines().size(); node++) {
            links.add(links(cabling, node));
        }
        final Map<String, List<String>> usual = mostCommon(links);
        text.append("links:  # NICs of each dimension; several are parallel links\n");
        usual.forEach(
                (name, nics) ->
                        text.append("  ").append(name).append(": ").append(nics).append('\n'));
        text.append(others(cabling, known, links, usual));
        text.append(hosts(cabling, known));
        return text.toString();
    }

    /** A file to be completed by hand, for two machines and the NICs of this one. */
    static String template(final String cluster, final List<String> nics) {
        return head(cluster)
                + """
                shape: 2  # nobody answered: write how many machines are along X, Y, ..., such as 4 or 2x2
                backend: raw
                links:  # NICs of each dimension; several are parallel links
                  x: [%s]
                """
                        .formatted(nics.isEmpty() ? "eth1, eth2" : String.join(", ", nics))
                + """
                # hosts:  # which machine is where; or set HXB_NODE=X,Y,Z on each
                #   pc1: 0
                #   pc2: 1
                """;
    }

    private static String head(final String cluster) {
        return """
        # Made by 'hxb init'. The same file belongs on every machine, as /etc/hxb/cluster.yaml.
        # Every key that can stand here: docs/reference/configuration.md. Check it by: hxb doctor --config FILE
        name: %s  # clusters that share switches need different names
        """
                .formatted(cluster);
    }

    private static Map<String, List<String>> links(final Cabling cabling, final int node) {
        final Map<String, List<String>> links = new LinkedHashMap<>();
        for (int dimension = 0; dimension < cabling.extents().size(); dimension++) {
            links.put(Dimensions.name(dimension), cabling.links().get(node).get(dimension));
        }
        return links;
    }

    private static Map<String, List<String>> mostCommon(
            final List<Map<String, List<String>>> links) {
        return Collections.max(
                links.stream().distinct().toList(),
                (one, two) ->
                        Integer.compare(
                                Collections.frequency(links, one),
                                Collections.frequency(links, two)));
    }

    /** Machines whose NICs have other names than those of most. */
    private static String others(
            final Cabling cabling,
            final NeighbourSurvey known,
            final List<Map<String, List<String>>> links,
            final Map<String, List<String>> usual) {
        final StringBuilder text = new StringBuilder();
        for (int node = 0; node < links.size(); node++) {
            if (!links.get(node).equals(usual)) {
                final String nics =
                        links.get(node).entrySet().stream()
                                .map(entry -> entry.getKey() + ": " + entry.getValue())
                                .collect(Collectors.joining(", "));
                text.append("  \"")
                        .append(cabling.coordinates(node))
                        .append("\": {links: {")
                        .append(nics)
                        .append("}}  # ")
                        .append(known.name(cabling.machines().get(node)))
                        .append('\n');
            }
        }
        return text.isEmpty() ? "" : "nodes:  # machines whose NICs have other names\n" + text;
    }

    private static String hosts(final Cabling cabling, final NeighbourSurvey known) {
        final List<String> names = cabling.machines().stream().map(known::name).toList();
        final StringBuilder text = new StringBuilder();
        for (int node = 0; node < names.size(); node++) {
            final boolean isUnique = Collections.frequency(names, names.get(node)) == 1;
            text.append(
                            isUnique
                                    ? "  "
                                    : "  # several machines are called so, set HXB_NODE there: ")
                    .append(names.get(node))
                    .append(": \"")
                    .append(cabling.coordinates(node))
                    .append("\"\n");
        }
        return (names.stream().distinct().count() == 1
                        ? "# hosts:\n"
                        : "hosts:  # which machine is where\n")
                + text;
    }
}
