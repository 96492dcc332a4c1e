package io.hxb.tool;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a command printed and how it ended, run within the test's process. Immutable.
 *
 * @param status its exit status.
 * @param text its standard output.
 * @param errors its messages.
 */
record HxbOutput(int status, String text, String errors) {
    /** Runs a command; nothing else may print meanwhile. */
    static HxbOutput of(final String... arguments) {
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        final ByteArrayOutputStream errors = new ByteArrayOutputStream();
        final PrintStream before = System.out;
        System.setOut(new PrintStream(text, true, StandardCharsets.UTF_8));
        final int status;
        try {
            status = Hxb.run(arguments, new PrintStream(errors, true, StandardCharsets.UTF_8));
        } finally {
            System.setOut(before);
        }
        JsonPage.check(List.of(arguments), text.toString(StandardCharsets.UTF_8));
        return new HxbOutput(
                status,
                text.toString(StandardCharsets.UTF_8),
                errors.toString(StandardCharsets.UTF_8));
    }
}
