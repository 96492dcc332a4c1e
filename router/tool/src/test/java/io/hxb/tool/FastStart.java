package io.hxb.tool;

import io.hxb.tool.lab.NodeProcesses;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Lets the many processes that tests start begin as installed ones do: from a jar, with an
 * ahead-of-time cache. Half of what a short command takes is loading classes. Made once for a run
 * of tests, by the first that needs it, and removed with it.
 */
final class FastStart {
    private static final long TRAINING_LIMIT_S = 120;
    private static final FastStart INSTANCE = make();

    private final String classPath;
    private final Path cache;

    private FastStart(final String classPath, final Path cache) {
        this.classPath = classPath;
        this.cache = cache;
    }

    /** The command of {@link NodeProcesses#self}, faster. */
    static List<String> command(final String... arguments) {
        return INSTANCE.faster(NodeProcesses.self(arguments));
    }

    private List<String> faster(final List<String> command) {
        final List<String> faster = new ArrayList<>(command);
        faster.set(faster.indexOf("-cp") + 1, classPath);
        if (Files.exists(cache)) {
            faster.addAll(
                    faster.indexOf("-cp"),
                    List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off", "-Dhxb.aot=" + cache));
        }
        return faster;
    }

    private static FastStart make() {
        try {
            final Path folder = Files.createTempDirectory("hxb-start");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
            // Some tests start commands as another user.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            final FastStart start =
                    new FastStart(classPath(folder.resolve("hxb.jar")), folder.resolve("hxb.aot"));
            start.train(folder);
            return start;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    // A cache holds classes of jars only.
    private static String classPath(final Path jar) throws IOException {
        final StringBuilder path = new StringBuilder(jar.toString());
        final Set<String> names = new HashSet<>();
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.setLevel(Deflater.NO_COMPRESSION);
            for (final String entry :
                    System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                if (Files.isRegularFile(Path.of(entry))) {
                    path.append(File.pathSeparator).append(entry);
                } else if (Files.isDirectory(Path.of(entry)) && !entry.endsWith("test-classes")) {
                    addAll(zip, Path.of(entry), names);
                }
            }
        }
        return path.toString();
    }

    private static void addAll(
            final ZipOutputStream zip, final Path folder, final Set<String> names)
            throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                final String name = folder.relativize(file).toString();
                if (names.add(name) && !name.equals("module-info.class")) {
                    zip.putNextEntry(new ZipEntry(name));
                    Files.copy(file, (OutputStream) zip);
                    zip.closeEntry();
                }
            }
        }
    }

    private void train(final Path folder) throws IOException, InterruptedException {
        final List<String> command =
                faster(
                        NodeProcesses.self(
                                "lab",
                                "run",
                                "ping",
                                "--shape",
                                "2",
                                "--links",
                                "1",
                                "--backend",
                                "udp",
                                "--count",
                                "5",
                                "--json",
                                "--name",
                                "start-" + ProcessHandle.current().pid()));
        command.addAll(
                command.indexOf("-cp"), List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:aot*=off"));
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put("HXB_RUN", folder.resolve("run").toString());
        final Process process = builder.start();
        if (!process.waitFor(TRAINING_LIMIT_S, TimeUnit.SECONDS)
                || process.exitValue() != 0
                || !Files.exists(cache)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError("no cache: " + Files.readString(folder.resolve("log")));
        }
    }

    private static void delete(final Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(FastStart::deleteOne);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void deleteOne(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
