package io.hxb.bench.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of the programs that take part. Stateless. */
public final class Peers {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", "."));

    private Peers() {}

    /** True if a C program has been compiled. */
    public static boolean hasC(final String name) {
        return Files.isExecutable(program(name));
    }

    private static Path program(final String name) {
        return ROOT.resolve("benchmarks/target/c").resolve(name);
    }

    /** A C program of src/main/c, which benchmarks/run compiles. */
    public static List<String> c(final String name, final String... arguments) {
        final Path program = program(name);
        if (!Files.isExecutable(program)) {
            throw new IllegalStateException(
                    program + " is missing: benchmarks/run compiles it when gcc is there");
        }
        return command(List.of(program.toString()), arguments);
    }

    /** A Java program of this class path, with the flags all HXB programs run with. */
    public static List<String> java(final Class<?> main, final String... arguments) {
        return java(List.of(), main, arguments);
    }

    /** As {@link #java(Class, String...)}, with more flags. */
    public static List<String> java(
            final List<String> flags, final Class<?> main, final String... arguments) {
        final List<String> start = new ArrayList<>();
        start.add(System.getProperty("java.home") + "/bin/java");
        start.add("@" + ROOT.resolve(".mvn/jvm.config"));
        start.addAll(flags);
        start.add("-Dhxb.root=" + ROOT);
        start.add("-cp");
        start.add(System.getProperty("java.class.path"));
        start.add(main.getName());
        return command(start, arguments);
    }

    /** The command line of HXB itself. */
    public static List<String> hxb(final String... arguments) {
        return command(List.of(ROOT.resolve("deploy/hxb").toString()), arguments);
    }

    /** Folder where results are kept. */
    public static Path results() {
        return ROOT.resolve("benchmarks/results");
    }

    private static List<String> command(final List<String> start, final String... arguments) {
        final List<String> all = new ArrayList<>(start);
        all.addAll(List.of(arguments));
        return all;
    }
}
