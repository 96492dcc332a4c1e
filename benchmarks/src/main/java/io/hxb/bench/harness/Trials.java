package io.hxb.bench.harness;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Map;

/**
 * Measurements under a limit of time: each is appended to a file as soon as it is there, so that
 * whatever ends the run loses the one in progress and no other. Stateless.
 *
 * <p>The system property {@value #FILE} names the file, {@value #UNTIL} the time, in milliseconds
 * since 1970, after which no measurement is started. Without them nothing is kept and nothing ends
 * early.
 */
public final class Trials {
    /** System property: the file, a JSON object a line. */
    public static final String FILE = "hxb.trials.file";

    /** System property: when to end, in milliseconds since 1970. */
    public static final String UNTIL = "hxb.trials.until";

    private static final JsonMapper JSON = new JsonMapper();

    private Trials() {}

    /** True if there is a limit: then a contestant that fails does not end the contest. */
    public static boolean isLimited() {
        return Long.getLong(UNTIL) != null;
    }

    /** True if the limit has come. */
    static boolean isOver() {
        final Long until = Long.getLong(UNTIL);
        return until != null && Instant.now().toEpochMilli() >= until;
    }

    /** Keeps one measurement. */
    static void keep(
            final String what,
            final int round,
            final String name,
            final Map<String, Double> figures) {
        final ObjectNode line = line(what, name);
        line.put("round", round);
        line.set("figures", JSON.valueToTree(figures));
        append(line);
    }

    /** Keeps why one failed. */
    static void keepFailure(final String what, final String name, final Exception failure) {
        append(line(what, name).put("failure", failure.toString()));
    }

    private static ObjectNode line(final String what, final String name) {
        return JSON.createObjectNode().put("what", what).put("name", name);
    }

    private static void append(final ObjectNode line) {
        final String file = System.getProperty(FILE, "");
        if (file.isEmpty()) {
            return;
        }
        try {
            Files.writeString(
                    Path.of(file),
                    JSON.writeValueAsString(line) + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
