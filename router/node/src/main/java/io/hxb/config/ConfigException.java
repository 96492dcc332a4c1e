package io.hxb.config;

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
     * Collects problems.
     *
     * @param problems one line each, at least one.
     */
    public ConfigException(final List<String> problems) {
        super(String.join("\n", problems));
        this.problems = problems.toArray(String[]::new);
    }

    /** One line for each problem, in the order of the file. */
    public List<String> problems() {
        return List.of(problems);
    }
}
