package io.hxb.config.yaml;

import io.hxb.config.ConfigException;

import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads files that are a list of small mappings, whose values are single words or texts. Stateless;
 * any thread may call it.
 */
public final class RecordsYaml {
    private RecordsYaml() {}

    /**
     * One mapping of the list. Immutable.
     *
     * @param line of its first key, from 1.
     * @param values by key, in the order of the file.
     */
    public record Entry(int line, Map<String, String> values) {}

    /**
     * Reads the text of a file.
     *
     * @param file its name in messages.
     * @param example what an element looks like, for messages.
     * @throws ConfigException with every problem and its line.
     */
    public static List<Entry> parse(final String text, final String file, final String example) {
        final Problems problems = new Problems(file);
        final Optional<Node> root = ClusterConfigYaml.compose(text, file, problems);
        final List<Entry> entries = new ArrayList<>();
        if (root.isEmpty() && problems.isEmpty()) {
            problems.add(1, "is empty; write a list of elements such as " + example);
        }
        if (root.isPresent() && root.get() instanceof SequenceNode list) {
            list.getValue().forEach(node -> read(problems, node, example, entries));
        } else if (root.isPresent()) {
            problems.add(root.get(), "must be a list of elements such as " + example);
        }
        if (!problems.isEmpty()) {
            throw problems.exception();
        }
        return List.copyOf(entries);
    }

    private static void read(
            final Problems problems,
            final Node node,
            final String example,
            final List<Entry> entries) {
        if (!(node instanceof MappingNode)) {
            problems.add(node, "an element must be a mapping such as " + example);
            return;
        }
        final YamlSection section = new YamlSection(problems, "", Problems.line(node), node);
        final Map<String, String> values = new LinkedHashMap<>();
        for (final String key : section.keys()) {
            final Node value = section.take(key);
            if (value instanceof ScalarNode scalar) {
                values.put(key, scalar.getValue().strip());
            } else {
                section.problem(
                        key, value == null ? "has no value" : "must be one word or text, no list");
            }
        }
        entries.add(new Entry(Problems.line(node), values));
    }
}
