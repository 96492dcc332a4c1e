package io.hxb.tool.option;

import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Files that a command writes its results to: looked at before its work begins, so that nobody
 * waits for a result that cannot be written. Stateless.
 */
public final class OutputFiles {
    private OutputFiles() {}

    /** Writes a file. */
    @FunctionalInterface
    public interface Writing {
        /** Does so; blocks. */
        void run() throws IOException;
    }

    /**
     * Checks that a file can be written, as far as that can be known.
     *
     * @param option the option that names it, such as {@code --out}.
     * @throws UsageException that names the folder or file in the way.
     */
    public static void check(final String option, final Path file) {
        final Path folder = folder(file);
        if (!Files.isDirectory(folder)) {
            throw new UsageException(
                    option
                            + " "
                            + file
                            + ": "
                            + (Files.exists(folder)
                                    ? folder + " is not a folder"
                                    : "there is no folder " + folder + "; make it first"));
        }
        if (Files.isDirectory(file)) {
            throw new UsageException(option + " " + file + " is a folder; name a file in it");
        }
        final Path written = Files.exists(file) ? file : folder;
        if (!Files.isWritable(written)) {
            throw new UsageException(
                    option + " " + file + ": there is no permission to write to " + written);
        }
    }

    /**
     * Checks that files can be written to a folder that is made if it is not there.
     *
     * @param option the option that names it, such as {@code --out}.
     * @throws UsageException that names what is in the way.
     */
    public static void checkFolder(final String option, final Path folder) {
        Path there = folder.toAbsolutePath();
        while (there != null && !Files.exists(there)) {
            there = there.getParent();
        }
        if (there == null || !Files.isDirectory(there)) {
            throw new UsageException(
                    option
                            + " "
                            + folder
                            + ": "
                            + (there == null ? folder : there)
                            + " is not a folder");
        }
        if (!Files.isWritable(there)) {
            throw new UsageException(
                    option + " " + folder + ": there is no permission to write to " + there);
        }
    }

    private static Path folder(final Path file) {
        final Path parent = file.getParent();
        return parent == null ? Path.of(".") : parent;
    }

    /**
     * Writes a file.
     *
     * @throws ToolException with the file and the reason when it cannot be written.
     */
    public static void write(final Path file, final Writing writing) {
        try {
            writing.run();
        } catch (final NoSuchFileException e) {
            throw new ToolException("cannot write " + file + ": its folder is gone", e);
        } catch (final AccessDeniedException e) {
            throw new ToolException("cannot write " + file + ": permission denied", e);
        } catch (final IOException e) {
            throw new ToolException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
