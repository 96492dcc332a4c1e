package io.hxb.tool.chaos;

import io.hxb.tool.chaos.result.ChaosResult;
import io.hxb.tool.chart.ThroughputPicture;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes what a run has found. Stateless. */
final class ChaosFiles {
    private ChaosFiles() {}

    /**
     * Makes sure, before anything is measured, that all files can be written.
     *
     * @throws ToolException saying which cannot.
     */
    static void check(final List<Path> files) {
        for (final Path file : files) {
            final Path folder = file.toAbsolutePath().getParent();
            if (!Files.isDirectory(folder)) {
                throw new ToolException("cannot write " + file + ": there is no folder " + folder);
            }
        }
    }

    /** Writes each file. */
    static void write(final List<Path> files, final ChaosResult result, final Output output) {
        for (final Path file : files) {
            try {
                if (isPicture(file)) {
                    ThroughputPicture.draw(file, result);
                } else if (file.toString().endsWith(".yaml")) {
                    Files.writeString(file, script(result));
                } else {
                    Files.writeString(file, Json.line(result.allFields()) + "\n");
                }
            } catch (final IOException e) {
                throw new ToolException("cannot write " + file + ": " + e, e);
            }
            output.text().println("written: " + file);
        }
    }

    private static String script(final ChaosResult result) {
        final String origin =
                result.seed() == null ? "" : "# drawn from seed " + result.seed() + "\n";
        return origin + result.script().write();
    }

    private static boolean isPicture(final Path file) {
        return file.toString().endsWith(".svg") || file.toString().endsWith(".png");
    }
}
