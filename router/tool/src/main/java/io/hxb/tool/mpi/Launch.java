package io.hxb.tool.mpi;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What is run: a command, and what its environment has besides. Immutable.
 *
 * @param command the program and its arguments.
 * @param environment variables in the order of their names.
 */
record Launch(List<String> command, SortedMap<String, String> environment) {
    Launch(
            final Path program,
            final List<String> arguments,
            final Map<String, String> environment) {
        this(
                Stream.concat(Stream.of(program.toString()), arguments.stream()).toList(),
                Collections.unmodifiableSortedMap(new TreeMap<>(environment)));
    }

    /** The same as a line for a shell, broken after each variable. */
    String text() {
        final StringBuilder text = new StringBuilder("env");
        environment.forEach(
                (name, value) ->
                        text.append(' ')
                                .append(name)
                                .append('=')
                                .append(quoted(value))
                                .append(" \\\n "));
        for (final String word : command) {
            text.append(' ').append(quoted(word));
        }
        return text.toString();
    }

    /** What is set besides, as lines for a shell. */
    String exports() {
        final StringBuilder text = new StringBuilder();
        environment.forEach(
                (name, value) ->
                        text.append("export ")
                                .append(name)
                                .append('=')
                                .append(quoted(value))
                                .append('\n'));
        return text.toString();
    }

    private static String quoted(final String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./^-]+")
                ? word
                : "'" + word.replace("'", "'\\''") + "'";
    }
}
