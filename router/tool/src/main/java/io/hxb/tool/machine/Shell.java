package io.hxb.tool.machine;

import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs the system's tools, such as ip and tc, and waits for them. Stateless. */
public final class Shell {
    private Shell() {}

    /**
     * How a command ended.
     *
     * @param exitStatus 0 for success.
     * @param output standard output and error together, without the last newline.
     */
    public record Outcome(int exitStatus, String output) {}

    /**
     * Runs a command and returns how it ended. Blocks until then.
     *
     * @param input its standard input.
     * @throws ToolException when it cannot be started, naming the package to install.
     */
    public static Outcome run(final String input, final List<String> command) {
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (final IOException e) {
                // The command ended before it had read everything; its own message has the reason.
            }
            final String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Outcome(process.waitFor(), output.strip());
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot run '" + command.getFirst() + "': " + hint(command.getFirst()), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted while '" + command.getFirst() + "' ran", e);
        }
    }

    /**
     * Runs a command that has to succeed.
     *
     * @return its output.
     * @throws ToolException with its output when it fails.
     */
    public static String check(final String input, final List<String> command) {
        final Outcome outcome = run(input, command);
        if (outcome.exitStatus() != 0) {
            throw new ToolException(
                    "'" + String.join(" ", command) + "' failed: " + outcome.output());
        }
        return outcome.output();
    }

    private static String hint(final String program) {
        return switch (program) {
            case "ip", "tc" -> "install iproute2 (Debian: apt-get install iproute2)";
            default -> "install it, or put its folder into the PATH";
        };
    }
}
