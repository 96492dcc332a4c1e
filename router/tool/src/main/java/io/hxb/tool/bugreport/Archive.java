package io.hxb.tool.bugreport;

import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The parts of a report, which are written as one zip file. Used by one thread. */
final class Archive {
    private static final String CONTENTS = "contents.txt";

    private final Redactor redactor;
    private final Map<String, String> parts = new LinkedHashMap<>();
    private final List<LeftOut> leftOut = new ArrayList<>();

    /**
     * Something that the report does not have. Immutable; the JSON fields are the components.
     *
     * @param what its name.
     * @param why the reason.
     */
    record LeftOut(String what, String why) {}

    /** Makes one part. */
    @FunctionalInterface
    interface Part {
        /** The text; blocks. */
        String text() throws IOException;
    }

    /** An archive without parts. */
    Archive(final Redactor redactor) {
        this.redactor = redactor;
    }

    /** Adds a part, or notes why it cannot be had. */
    void add(final String name, final Part part) {
        try {
            final String text = part.text();
            if (text.isBlank()) {
                leaveOut(name, "it is empty");
            } else {
                parts.put(name, redactor.redact(text));
            }
        } catch (final java.nio.file.AccessDeniedException e) {
            leaveOut(name, "permission denied: " + e.getFile());
        } catch (final java.nio.file.NoSuchFileException e) {
            leaveOut(name, "there is no " + e.getFile());
        } catch (final IOException | RuntimeException e) {
            leaveOut(name, String.valueOf(e.getMessage()));
        }
    }

    /** Notes that something is not there. */
    void leaveOut(final String what, final String why) {
        leftOut.add(new LeftOut(what, redactor.redact(why)));
    }

    /** Names of the parts. */
    List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    /** What is not there. */
    List<LeftOut> leftOut() {
        return List.copyOf(leftOut);
    }

    /** What is there, and what is not, for people. */
    String contents() {
        final StringBuilder text = new StringBuilder("contents:\n");
        parts.forEach(
                (name, part) ->
                        text.append("  ")
                                .append(name)
                                .append(", ")
                                .append(part.getBytes(StandardCharsets.UTF_8).length)
                                .append(" bytes\n"));
        text.append("left out:\n");
        text.append("  keys, tokens and passphrases: a fingerprint stands for each\n");
        for (final LeftOut each : leftOut) {
            text.append("  ").append(each.what).append(": ").append(each.why).append('\n');
        }
        return text.toString();
    }

    /**
     * Writes the archive to a new file, which only its owner may read.
     *
     * @throws ToolException if the file is there already, or cannot be written.
     */
    void write(final Path file) {
        try {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        } catch (final java.nio.file.FileAlreadyExistsException e) {
            throw new ToolException(
                    file + " is there already: name another file as --out, or remove it", e);
        } catch (final IOException e) {
            throw new ToolException("cannot write " + file + ": " + e.getMessage(), e);
        }
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            put(zip, CONTENTS, contents());
            for (final Map.Entry<String, String> part : parts.entrySet()) {
                put(zip, part.getKey(), part.getValue());
            }
        } catch (final IOException e) {
            throw new ToolException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static void put(final ZipOutputStream zip, final String name, final String text)
            throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }
}
