package io.hxb.config;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Collects what is wrong with the values of one record, so that all problems are reported together.
 * Made and used within one constructor.
 */
public final class Check {
    private final List<Problem> problems = new ArrayList<>();

    Check() {}

    /**
     * One value that is wrong. Immutable.
     *
     * @param key its key in the file.
     * @param text text of the message after the key.
     */
    public record Problem(String key, String text) {}

    /** Checks a section, whose keys get its name before theirs. */
    <R extends Record> Check section(final ConfigSection<R> section, final R record) {
        final Check check = new Check();
        section.check(check, record);
        for (final Problem problem : check.problems) {
            that(false, section.name() + "." + problem.key, problem.text);
        }
        return this;
    }

    /**
     * Checks the value of one key whose limits depend on no other.
     *
     * @throws Failure if it is not allowed.
     */
    public static <R, V> void one(final ConfigKey<R, V> key, final V value) {
        final Check check = new Check();
        key.check(check, null, value);
        check.done();
    }

    Check that(final boolean isValid, final String key, final String text) {
        if (!isValid) {
            problems.add(new Problem(key, text));
        }
        return this;
    }

    void done() {
        if (!problems.isEmpty()) {
            throw new Failure(problems);
        }
    }

    /** Values of a record are wrong; the message names them all. */
    public static final class Failure extends IllegalArgumentException {
        @Serial private static final long serialVersionUID = 1L;

        private final transient List<Problem> problems;

        private Failure(final List<Problem> problems) {
            super(
                    problems.stream()
                            .map(problem -> problem.key + " " + problem.text)
                            .collect(Collectors.joining("; ")));
            this.problems = List.copyOf(problems);
        }

        /** The values that are wrong, at least one. */
        public List<Problem> problems() {
            return problems;
        }
    }
}
