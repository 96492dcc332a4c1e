package io.hxb.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The modules of Maven, and their sources. Stateless. */
public final class Modules {
    /** The root of the sources. */
    public static final Path ROOT = Path.of(System.getProperty("hxb.root", "../.."));

    /** Folders of the modules that nodes and applications run, lower ones first. */
    public static final List<String> RUN =
            List.of("pm-api", "router/fabric", "router/node", "router/manager", "router/tool");

    /** Folders of all modules. */
    public static final List<String> ALL =
            Stream.concat(RUN.stream(), Stream.of("benchmarks", "jcstress")).toList();

    private Modules() {}

    /** The folder of a module's main classes. */
    public static Path main(final String module) {
        return ROOT.resolve(module).resolve("src/main/java");
    }

    /** True if a class that lies in no other is in a module that nodes and applications run. */
    static boolean isOfMainCode(final String className) {
        final String file = className.replace('.', '/') + ".java";
        return RUN.stream().map(Modules::main).anyMatch(main -> Files.exists(main.resolve(file)));
    }

    /** All Java files of all modules, tests included. */
    static List<Path> sources() throws IOException {
        final List<Path> all = new ArrayList<>();
        for (final String module : ALL) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(all::add);
            }
        }
        return all;
    }
}
