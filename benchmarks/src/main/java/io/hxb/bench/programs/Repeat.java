package io.hxb.bench.programs;

import java.util.List;
import java.util.Locale;

/** Commands that run a command again and again. Stateless. */
final class Repeat {
    /** The seconds come first. */
    private static final String AGAIN =
            "seconds=$1; shift; until [ $SECONDS -ge $seconds ]; do \"$@\" || exit; done";

    private Repeat() {}

    /** What to put before a command so that it runs again until it has taken a time. */
    static List<String> command(final double seconds) {
        return List.of("bash", "-c", AGAIN, "again", Long.toString(Math.round(Math.ceil(seconds))));
    }

    /** A script of the shell that does so for a time, and ends as soon as the command fails. */
    static String script(final String command, final double seconds) {
        return String.format(
                Locale.ROOT,
                "end=$(($(date +%%s) + %d)); while [ $(date +%%s) -lt $end ]; do %s || exit 1;"
                        + " done",
                Math.round(Math.ceil(seconds)),
                command);
    }
}
