package io.hxb.tool.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

@Tag("unit")
class OpenJarsTest {
    private static final String FILE = OpenJars.class.getName().replace('.', '/') + ".class";

    @TempDir private Path folder;

    /** Two JARs, of which the second has a class. */
    private URL[] classPath() throws IOException {
        final Path first = folder.resolve("first.jar");
        final Path second = folder.resolve("second.jar");
        jar(first, "other", new byte[0]);
        try (InputStream code = OpenJars.class.getClassLoader().getResourceAsStream(FILE)) {
            jar(second, FILE, code.readAllBytes());
        }
        return new URL[] {first.toUri().toURL(), second.toUri().toURL()};
    }

    private static void jar(final Path file, final String name, final byte[] content)
            throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out)) {
            jar.putNextEntry(new JarEntry(name));
            jar.write(content);
        }
    }

    private static String load(final ClassLoader loader) throws ClassNotFoundException {
        return loader.loadClass(OpenJars.class.getName()).getName();
    }

    private void replace() throws IOException {
        Files.delete(folder.resolve("second.jar"));
        Files.writeString(folder.resolve("second.jar"), "another build");
    }

    @Test
    void shouldKeepTheClassesOfJarsThatAreReplacedLater() throws Exception {
        try (URLClassLoader loader = new URLClassLoader(classPath(), null)) {
            // given
            OpenJars.openAll(loader);
            // when
            replace();
            // then
            assertEquals(OpenJars.class.getName(), load(loader));
        }
    }

    @Test
    void shouldBeNeededBecauseLoadersOpenJarsLate() throws Exception {
        try (URLClassLoader loader = new URLClassLoader(classPath(), null)) {
            replace();
            assertThrows(ClassNotFoundException.class, () -> load(loader));
        }
    }
}
