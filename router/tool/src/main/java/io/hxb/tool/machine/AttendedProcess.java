package io.hxb.tool.machine;

import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.List;

/**
 * A child process of hxb with the option {@code --attended} that does this process's work: it
 * inherits standard output and error, finishes at the end of its standard input, and so ends with
 * this process, however that ends. Stateless.
 */
public final class AttendedProcess {
    private static final int INTERRUPTED = 130;

    private AttendedProcess() {}

    /**
     * Runs it until it ends. Ctrl-C requests its end; a second Ctrl-C kills it and ends this
     * process.
     *
     * @return its exit status.
     */
    public static int run(final List<String> command) throws InterruptedException {
        final Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
        } catch (final IOException e) {
            throw new ToolException("cannot start " + command.getFirst() + ": " + e, e);
        }
        final boolean[] isAsked = new boolean[1];
        final Object previous = Signals.handle("INT", () -> finish(process, isAsked));
        try {
            return process.waitFor();
        } finally {
            process.destroy();
            if (previous != null) {
                Signals.restore("INT", previous);
            }
        }
    }

    private static void finish(final Process process, final boolean[] isAsked) {
        if (isAsked[0]) {
            process.destroy();
            System.exit(INTERRUPTED);
        }
        isAsked[0] = true;
        try {
            process.getOutputStream().close();
        } catch (final IOException e) {
            // It has ended.
        }
    }
}
