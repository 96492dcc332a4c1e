package io.hxb.bench.flit.tool;

import io.hxb.bench.flit.paper.PaperReport;
import io.hxb.bench.flit.paper.PaperSettings;
import io.hxb.bench.flit.paper.SwitchTagged;
import io.hxb.bench.flit.paper.ThesisFive;
import io.hxb.bench.flit.paper.ThesisFour;
import io.hxb.bench.flit.paper.ThesisThree;
import io.hxb.bench.flit.paper.VfrecNet;
import io.hxb.bench.flit.run.Monitor;
import io.hxb.bench.flit.run.Sweep;
import io.hxb.tool.option.JsonOption;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb sim paper}: the papers' tables. Picocli makes it. */
@Command(
        name = "paper",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Simulates the tables of a paper and prints them beside the published ones.")
final class SimPaperCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "PAPER",
            description = "thesis-3, thesis-4, thesis-5, switch-tagged or vfrec-net")
    private String paper;

    @Option(names = "--short", description = "fewer networks and cycles: seconds, not minutes")
    private boolean isShort;

    @Option(
            names = "--networks",
            paramLabel = "N",
            defaultValue = "0",
            description = "random networks of each size; default 10, 2 with --short")
    private int networks;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "only the tables whose name has this text, such as '64 switches'")
    private String only;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "write tables (.txt, .json) and plots (.svg) there")
    private Path folder;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "0",
            description = "runs at once; default: one for each CPU")
    private int threads;

    @Mixin private JsonOption json;

    /** Picocli makes it. */
    SimPaperCommand() {}

    @Override
    public Integer call() throws IOException {
        if (folder != null && !Files.isDirectory(folder)) {
            throw new ToolException("there is no folder " + folder + " for the results");
        }
        final int workers = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
        try (Sweep sweep = new Sweep(workers, Monitor.NONE)) {
            final PaperSettings settings =
                    new PaperSettings(
                            sweep,
                            isShort,
                            networks > 0 ? networks : isShort ? 2 : 10,
                            only,
                            folder);
            final PaperReport report =
                    switch (paper) {
                        case "thesis-3" -> ThesisThree.run(settings);
                        case "thesis-4" -> ThesisFour.run(settings);
                        case "thesis-5" -> ThesisFive.run(settings);
                        case "switch-tagged" -> SwitchTagged.run(settings);
                        case "vfrec-net" -> VfrecNet.run(settings);
                        default ->
                                throw new ToolException(
                                        "there is no paper '"
                                                + paper
                                                + "'; there are thesis-3, thesis-4, thesis-5,"
                                                + " switch-tagged and vfrec-net");
                    };
            System.out.print(report);
            write(report);
            final Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("ok", report.hasAllShapes());
            fields.putAll(report.fields());
            json.print(fields);
            return 0;
        }
    }

    private void write(final PaperReport report) throws IOException {
        if (folder != null) {
            final String suffix = only.isEmpty() ? "" : "-" + only.replaceAll("[^a-z0-9]+", "-");
            final String name = report.title() + suffix;
            Files.writeString(folder.resolve(name + ".txt"), report.toString());
            Files.writeString(folder.resolve(name + ".json"), Json.line(report.fields()) + "\n");
        }
    }
}
