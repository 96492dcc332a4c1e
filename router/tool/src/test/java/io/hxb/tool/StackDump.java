package io.hxb.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the threads of processes do that have not ended in time: the only trace of a rare hang. */
final class StackDump {
    private static final long LIMIT_S = 20;

    private StackDump() {}

    /** The stacks of a process and of those that it has started, as far as they are Java's. */
    static String of(final Process process) {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .map(StackDump::ofOne)
                .collect(Collectors.joining("\n"));
    }

    private static String ofOne(final ProcessHandle process) {
        final String command = process.info().command().orElse("");
        final String title = "process " + process.pid() + ' ' + command;
        if (!command.endsWith("/java")) {
            return title;
        }
        try {
            final Process dump =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                            .toString(),
                                    Long.toString(process.pid()),
                                    "Thread.print")
                            .redirectErrorStream(true)
                            .start();
            dump.onExit().orTimeout(LIMIT_S, TimeUnit.SECONDS).exceptionally(late -> kill(dump));
            return title
                    + '\n'
                    + new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return title + ": " + e;
        }
    }

    private static Process kill(final Process process) {
        return process.destroyForcibly();
    }
}
