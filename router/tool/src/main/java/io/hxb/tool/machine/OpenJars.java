package io.hxb.tool.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Enumeration;

/**
 * The JARs of the class path. The class loader opens each when it first looks for a class there,
 * which may be days after the start.
 */
public final class OpenJars {
    private static final String NOWHERE = "META-INF/io.hxb.nothing";

    private OpenJars() {}

    /**
     * Opens all of them, for a process that runs for long: it has its classes whatever becomes of
     * the files' names.
     */
    public static void openAll() {
        openAll(ClassLoader.getSystemClassLoader());
    }

    /** The same for those of another class loader. */
    static void openAll(final ClassLoader loader) {
        try {
            // The search goes through all of them, because none has it.
            final Enumeration<URL> found = loader.getResources(NOWHERE);
            while (found.hasMoreElements()) {
                found.nextElement();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("a JAR of the class path cannot be read", e);
        }
    }
}
