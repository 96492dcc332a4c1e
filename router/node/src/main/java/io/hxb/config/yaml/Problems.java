package io.hxb.config.yaml;

import io.hxb.config.ConfigException;

import org.snakeyaml.engine.v2.nodes.Node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The problems found in one file so far. Used by one thread while it reads. */
public final class Problems {
    private final String file;
    private final List<Problem> problems = new ArrayList<>();

    private record Problem(int line, String text) {}

    /** No problem in the file of that name yet. */
    public Problems(final String file) {
        this.file = file;
    }

    /** Adds what is wrong in a line, from 1. */
    public void add(final int line, final String text) {
        problems.add(new Problem(line, text));
    }

    /** Adds what is wrong where a node begins. */
    public void add(final Node node, final String text) {
        add(line(node), text);
    }

    /** True if nothing is wrong so far. */
    public boolean isEmpty() {
        return problems.isEmpty();
    }

    /** All problems, in the order of their lines. */
    public ConfigException exception() {
        return new ConfigException(
                problems.stream()
                        .sorted(Comparator.comparingInt(Problem::line))
                        .map(problem -> file + ":" + problem.line + ": " + problem.text)
                        .distinct()
                        .toList());
    }

    /** The line in which a node begins, from 1. */
    public static int line(final Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }
}
