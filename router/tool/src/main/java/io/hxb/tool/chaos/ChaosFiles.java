package io.hxb.tool.chaos;

import io.hxb.tool.chaos.result.ChaosResult;
import io.hxb.tool.chart.ThroughputPicture;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.Json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes what a run has found. Stateless. */
final class ChaosFiles {
    private ChaosFiles() {}

    /** Writes each file. */
    static void write(final List<Path> files, final ChaosResult result, final Output output) {
        for (final Path file : files) {
            OutputFiles.write(file, () -> write(file, result));
            output.text().println("written: " + file);
        }
    }

    private static void write(final Path file, final ChaosResult result) throws IOException {
        if (isPicture(file)) {
            ThroughputPicture.draw(file, result);
        } else if (file.toString().endsWith(".yaml")) {
            Files.writeString(file, script(result));
        } else {
            Files.writeString(file, Json.line(result.allFields()) + "\n");
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
