package io.hxb.config.yaml;

import io.hxb.config.ConfigException;

import org.snakeyaml.engine.v2.nodes.Node;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads files that give a command's options: one mapping whose keys are the options' names, and
 * whose values are words, numbers or lists of them. Stateless; any thread may call it.
 */
public final class OptionsYaml {
    private OptionsYaml() {}

    /**
     * Reads the text of a file.
     *
     * @param file its name in messages.
     * @param known every key that may be there.
     * @return the values of each key that is there, at least one each, in the order of {@code
     *     known}.
     * @throws ConfigException with every problem and its line.
     */
    public static Map<String, List<String>> parse(
            final String text, final String file, final Collection<String> known) {
        final Problems problems = new Problems(file);
        final Optional<Node> root = ClusterConfigYaml.compose(text, file, problems);
        final Map<String, List<String>> values = new LinkedHashMap<>();
        if (root.isEmpty() && problems.isEmpty()) {
            problems.add(1, "is empty; write options such as graph: torus:8x8");
        }
        if (root.isPresent()) {
            final YamlSection section = new YamlSection(problems, "", 1, root.get());
            for (final String key : known) {
                final List<String> words = section.texts(key, null);
                if (words != null && words.isEmpty()) {
                    section.problem(key, "is an empty list; leave it out or give a value");
                } else if (words != null) {
                    values.put(key, List.copyOf(words));
                }
            }
            section.finish();
        }
        if (!problems.isEmpty()) {
            throw problems.exception();
        }
        return values;
    }
}
