package io.hxb.config.yaml;

import io.hxb.config.ConfigException;

import org.snakeyaml.engine.v2.nodes.Node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The problems found in one file so far. Used by one thread while it reads. */
final class Problems {
    private final String file;
    private final List<Problem> problems = new ArrayList<>();

    private record Problem(int line, String text) {}

    Problems(final String file) {
        this.file = file;
    }

    void add(final int line, final String text) {
        problems.add(new Problem(line, text));
    }

    void add(final Node node, final String text) {
        add(line(node), text);
    }

    boolean isEmpty() {
        return problems.isEmpty();
    }

    ConfigException exception() {
        return new ConfigException(
                problems.stream()
                        .sorted(Comparator.comparingInt(Problem::line))
                        .map(problem -> file + ":" + problem.line + ": " + problem.text)
                        .distinct()
                        .toList());
    }

    static int line(final Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }
}
