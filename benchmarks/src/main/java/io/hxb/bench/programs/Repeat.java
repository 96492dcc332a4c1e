package io.hxb.bench.programs;

import java.util.Locale;

/** Shell scripts that run a command again and again. Stateless. */
final class Repeat {
    private Repeat() {}

    /** One that does so for a time, and ends as soon as the command fails. */
    static String script(final String command, final double seconds) {
        return String.format(
                Locale.ROOT,
                "end=$(($(date +%%s) + %d)); while [ $(date +%%s) -lt $end ]; do %s || exit 1;"
                        + " done",
                Math.round(Math.ceil(seconds)),
                command);
    }
}
