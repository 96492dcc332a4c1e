package io.hxb.tool;

import static java.lang.classfile.ClassFile.JAVA_8_VERSION;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * The copy of a library that was compiled for Java 5, as picocli was, as class files of Java 8: no
 * ahead-of-time cache takes classes without stack maps, and checking these takes a fifth of the CPU
 * time of a short command.
 */
final class RenewedClasses {
    private final ZipFile library;
    private final ClassFile files;

    private RenewedClasses(final ZipFile library) {
        this.library = library;
        files =
                ClassFile.of(
                        StackMapsOption.GENERATE_STACK_MAPS,
                        ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(this::open)
                                        .orElse(ClassHierarchyResolver.defaultResolver())
                                        .cached()));
    }

    /** Writes the copy. */
    static void copy(final Path library, final Path copy) throws IOException {
        try (ZipFile zip = new ZipFile(library.toFile())) {
            new RenewedClasses(zip).write(copy);
        }
    }

    private static boolean isClass(final ZipEntry entry) {
        return entry.getName().endsWith(".class")
                && !entry.getName().endsWith("module-info.class")
                && !entry.getName().startsWith("META-INF/");
    }

    private byte[] read(final ZipEntry entry) throws IOException {
        try (InputStream content = library.getInputStream(entry)) {
            return content.readAllBytes();
        }
    }

    private InputStream open(final ClassDesc type) {
        final String descriptor = type.descriptorString();
        final ZipEntry entry =
                library.getEntry(descriptor.substring(1, descriptor.length() - 1) + ".class");
        try {
            return entry == null ? null : library.getInputStream(entry);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(final Path copy) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(copy))) {
            zip.setLevel(Deflater.NO_COMPRESSION);
            for (final ZipEntry entry : Collections.list(library.entries())) {
                final byte[] content = read(entry);
                zip.putNextEntry(new ZipEntry(entry.getName()));
                zip.write(isClass(entry) ? renew(content) : content);
                zip.closeEntry();
            }
        }
    }

    private byte[] renew(final byte[] bytes) {
        final ClassModel model = files.parse(bytes);
        return files.transformClass(
                model,
                ClassTransform.dropping(ClassFileVersion.class::isInstance)
                        .andThen(
                                // Code that passes through has its stack maps made.
                                ClassTransform.transformingMethodBodies(
                                        (code, element) -> code.with(element)))
                        .andThen(
                                ClassTransform.endHandler(
                                        type -> type.withVersion(JAVA_8_VERSION, 0))));
    }
}
