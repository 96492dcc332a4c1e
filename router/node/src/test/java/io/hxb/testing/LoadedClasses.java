package io.hxb.testing;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads all classes of a module from its folder of classes. A class in a folder costs a descriptor
 * to load, unlike one in a JAR that is open, and a class that could not be loaded once stays
 * missing for the caller (JVMS 5.4.3): a test that takes away descriptors would break those after
 * it.
 */
public final class LoadedClasses {
    private static final String SUFFIX = ".class";

    private LoadedClasses() {}

    /**
     * Loads, but does not initialize, the classes that were built together with {@code member}.
     *
     * @return number of classes; 0 if they are in a JAR.
     */
    public static int load(final Class<?> member) throws IOException, ReflectiveOperationException {
        final Path folder;
        try {
            folder = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (final URISyntaxException e) {
            throw new IOException(e);
        }
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        final List<String> names;
        try (Stream<Path> files = Files.walk(folder)) {
            names =
                    files.map(file -> folder.relativize(file).toString())
                            .filter(file -> file.endsWith(SUFFIX) && !file.contains("-"))
                            .map(file -> file.substring(0, file.length() - SUFFIX.length()))
                            .map(file -> file.replace('/', '.'))
                            .toList();
        }
        for (final String name : names) {
            Class.forName(name, false, member.getClassLoader());
        }
        return names.size();
    }
}
