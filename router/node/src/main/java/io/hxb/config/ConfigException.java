package io.hxb.config;

import io.hxb.log.Printable;

import java.io.Serial;
import java.util.List;

/**
 * The configuration cannot be used; the message has one line for every problem: {@code file:line:
 * what is wrong; what to do}.
 */
public final class ConfigException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** One line for each problem. */
    private final String[] problems;

    /**
     * Collects problems; control characters that a file has are escaped, ends of lines too.
     *
     * @param problems one line each, at least one.
     */
    public ConfigException(final List<String> problems) {
        super(String.join("\n", printable(problems)));
        this.problems = printable(problems).toArray(String[]::new);
    }

    /** One line for each problem, in the order of the file. */
    public List<String> problems() {
        return List.of(problems);
    }

    private static List<String> printable(final List<String> problems) {
        return problems.stream()
                .map(problem -> Printable.message(problem).replace("\n", "\\u000a"))
                .toList();
    }
}
