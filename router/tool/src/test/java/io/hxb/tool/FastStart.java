package io.hxb.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.hxb.tool.lab.NodeProcesses;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Lets the many processes that tests start begin as installed ones do: from a jar, with an
 * ahead-of-time cache. Half of what a short command takes is loading classes. Made by the first
 * test that needs it, used by all test JVMs that run at the same time, and removed by the last.
 */
public final class FastStart {
    private static final long TRAINING_LIMIT_S = 600;
    private static final String OWN_JAR = "hxb.jar";

    /**
     * As deploy/hxb starts short commands: most processes of tests, nodes too, end before the
     * second compiler is worth its time.
     */
    private static final String FLAGS = "-XX:TieredStopAtLevel=1";

    private static final FastStart INSTANCE = make();

    private final String classPath;
    private final Path cache;

    private FastStart(final String classPath, final Path cache) {
        this.classPath = classPath;
        this.cache = cache;
    }

    /** The command of {@link NodeProcesses#self}, faster. */
    public static List<String> command(final String... arguments) {
        return INSTANCE.faster(NodeProcesses.self(arguments));
    }

    /** Starts another class of the tests with the same class path and cache. */
    static List<String> command(final Class<?> main, final List<String> arguments) {
        final List<String> command = command();
        final int place = command.indexOf("-cp") + 1;
        // Behind what the cache was trained with.
        command.set(place, command.get(place) + File.pathSeparator + place(main));
        command.set(command.indexOf(Hxb.class.getName()), main.getName());
        command.addAll(arguments);
        return command;
    }

    private static Path place(final Class<?> type) {
        return Path.of(
                URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    private List<String> faster(final List<String> command) {
        final List<String> faster = new ArrayList<>(command);
        faster.set(faster.indexOf("-cp") + 1, classPath);
        faster.addAll(faster.indexOf("-cp"), List.of(FLAGS, "-Dhxb.flags=" + FLAGS));
        if (Files.exists(cache)) {
            faster.addAll(
                    faster.indexOf("-cp"),
                    List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off", "-Dhxb.aot=" + cache));
        }
        return faster;
    }

    private static FastStart make() {
        try {
            return open(FileChannel.open(Path.of("target/fast-start"), CREATE, READ, WRITE));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /**
     * Uses what other test JVMs use, or makes it.
     *
     * @param file names the folder; its users hold a lock on the second byte, and the process that
     *     makes or removes it holds one on the first.
     */
    private static FastStart open(final FileChannel file) throws IOException, InterruptedException {
        try (FileLock lock = file.lock(0, 1, false)) {
            assert lock.isValid();
            final FileLock alone = file.tryLock(1, 1, false);
            if (alone != null) {
                // Nobody uses what the file names: it is of an earlier run.
                alone.release();
                final Path folder = Files.createTempDirectory("hxb-start");
                // Some tests start commands as another user.
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
                makeJars(folder);
                new FastStart(classPath(folder), folder.resolve("hxb.aot")).train(folder);
                file.truncate(0);
                file.write(ByteBuffer.wrap(("\n\n" + folder).getBytes(UTF_8)), 0);
            }
            final ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            final Path folder = Path.of(new String(bytes.array(), UTF_8).strip());
            final FileLock use = file.lock(1, 1, true);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(file, use, folder)));
            return new FastStart(classPath(folder), folder.resolve("hxb.aot"));
        }
    }

    private static void close(final FileChannel file, final FileLock use, final Path folder) {
        try (FileLock lock = file.lock(0, 1, false)) {
            assert lock.isValid();
            use.release();
            final FileLock alone = file.tryLock(1, 1, false);
            if (alone != null) {
                delete(folder);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void makeJars(final Path folder) throws IOException {
        final Set<String> names = new HashSet<>();
        try (ZipOutputStream zip =
                new ZipOutputStream(Files.newOutputStream(folder.resolve(OWN_JAR)))) {
            zip.setLevel(Deflater.NO_COMPRESSION);
            for (final Path entry : ownClasses()) {
                addAll(zip, entry, names);
            }
        }
        for (final Path library : entries().filter(Files::isRegularFile).toList()) {
            if (isOld(library)) {
                RenewedClasses.copy(library, folder.resolve(library.getFileName()));
            }
        }
    }

    // A cache holds classes of jars only.
    private static String classPath(final Path folder) {
        final Stream<Path> libraries =
                entries()
                        .filter(Files::isRegularFile)
                        .map(file -> isOld(file) ? folder.resolve(file.getFileName()) : file);
        return Stream.concat(Stream.of(folder.resolve(OWN_JAR)), libraries)
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isOld(final Path library) {
        return library.getFileName().toString().startsWith("picocli-");
    }

    private static List<Path> ownClasses() {
        return entries()
                .filter(entry -> Files.isDirectory(entry) && !entry.endsWith("test-classes"))
                .toList();
    }

    private static Stream<Path> entries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of);
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
