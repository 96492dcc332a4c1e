package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Builds libhxb and the programs of its tests, and runs them. Owned by one test. */
public final class LibHxb implements AutoCloseable {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root")).toAbsolutePath();
    private static final int LIMIT_S = 60;

    /** Files that this JVM has built: the sources stay as they are while tests run. */
    private static final Set<Path> BUILT = ConcurrentHashMap.newKeySet();

    private final List<Process> processes = new ArrayList<>();

    /** Makes one that has started nothing. */
    public LibHxb() {
        // Programs are added when they are started.
    }

    /** How the library and the programs are compiled. */
    public enum Build {
        /** As a user would. */
        PLAIN("libhxb", "-O2 -g", ""),
        /** With AddressSanitizer and UndefinedBehaviorSanitizer. */
        CHECKED(
                "libhxb-asan",
                // More would make the compiler's work several times as long.
                "-O1 -g",
                "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"),
        /** With ThreadSanitizer. */
        THREADS("libhxb-tsan", "-O1 -g", "-fsanitize=thread -Wno-tsan");

        private final Path folder;
        private final String flags;
        private final String sanitizers;

        Build(final String folder, final String flags, final String sanitizers) {
            this.folder = ROOT.resolve("target").resolve(folder);
            this.flags = flags;
            this.sanitizers = sanitizers;
        }

        /** Where a program is after it has been built. */
        public Path file(final String name) {
            return folder.resolve(name);
        }
    }

    /** Skips the test, with the reason, where a program is missing. */
    public static void assumePresent(final String program, final String debianPackage) {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":", -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
                "skipped: " + program + " is not installed (Debian: " + debianPackage + ")");
    }

    /**
     * Builds files by their rules in the Makefile, if this JVM has not done so yet; skips the test
     * where there is no compiler.
     */
    public static void build(final Build build, final String... names)
            throws IOException, InterruptedException {
        assumePresent("gcc", "gcc");
        assumePresent("make", "make");
        final List<Path> files = Stream.of(names).map(build::file).toList();
        if (!BUILT.containsAll(files)) {
            make(build, names);
            BUILT.addAll(files);
        }
    }

    private static void make(final Build build, final String... names)
            throws IOException, InterruptedException {
        final String sources = ROOT.resolve("pm-api/src/main/c").toString();
        final List<String> command =
                new ArrayList<>(
                        List.of(
                                // Another JVM may build the same.
                                "flock",
                                sources,
                                "make",
                                "-s",
                                "-j2",
                                "CC=gcc",
                                "-C",
                                sources,
                                "OUT=" + build.folder,
                                "CFLAGS=" + build.flags,
                                "TEST_CFLAGS=-g",
                                "SANITIZE=" + build.sanitizers));
        for (final String name : names) {
            command.add(build.file(name).toString());
        }
        final Process make = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output =
                new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, make.waitFor(), () -> command + ": " + output);
    }

    /** Starts a command; its errors are shown among those of the test. */
    public Process start(final String... command) throws IOException {
        return start(Map.of(), command);
    }

    /** The same, with more variables of its environment. */
    public Process start(final Map<String, String> environment, final String... command)
            throws IOException {
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        // Threads that are cancelled never give back the stack that AddressSanitizer gave them.
        builder.environment().put("ASAN_OPTIONS", "use_sigaltstack=0");
        final Process process = builder.start();
        ErrorTail.follow(process);
        processes.add(process);
        return process;
    }

    /** Starts a scenario; see pm-api/src/test/c/scenario.c. */
    public Process start(final Build build, final String... arguments) throws IOException {
        final String[] command = new String[arguments.length + 1];
        command[0] = build.file("scenario").toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return start(command);
    }

    /** Starts a scenario and waits until it reports that it is ready. */
    public Process startReady(final Build build, final String... arguments) throws IOException {
        final Process process = start(build, arguments);
        assertReady(process, Arrays.toString(arguments));
        return process;
    }

    /** Waits until a process reports that it is ready. */
    static void assertReady(final Process process, final String name) throws IOException {
        assertEquals("ready", line(process), () -> words(process, name));
    }

    /** Runs a scenario to its end; returns the lines that it printed. */
    public List<String> run(final Build build, final String... arguments)
            throws IOException, InterruptedException {
        return lines(start(build, arguments));
    }

    /** The lines that a process prints until it ends well; the end of its input is here. */
    public static List<String> lines(final Process process)
            throws IOException, InterruptedException {
        process.getOutputStream().close();
        final String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "it has not ended: " + text);
        assertEquals(0, process.exitValue(), () -> words(process, text));
        return text.lines().toList();
    }

    /** The same with what a process that has ended, or is about to, printed as errors. */
    private static String words(final Process process, final String text) {
        return text + ErrorTail.of(process);
    }

    /** The next line that a process prints; null at its end. */
    public static String line(final Process process) throws IOException {
        final StringBuilder line = new StringBuilder();
        int read = process.getInputStream().read();
        if (read < 0) {
            return null;
        }
        while (read >= 0 && read != '\n') {
            line.append((char) read);
            read = process.getInputStream().read();
        }
        return line.toString();
    }

    /** Kills the processes. */
    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }
}
