package io.hxb.tool.sim;

import io.hxb.sim.run.Sweep;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.UsageException;
import io.hxb.tool.sim.paper.CurveStore;
import io.hxb.tool.sim.paper.PaperReport;
import io.hxb.tool.sim.paper.PaperSettings;
import io.hxb.tool.sim.paper.SwitchTagged;
import io.hxb.tool.sim.paper.ThesisFive;
import io.hxb.tool.sim.paper.ThesisFour;
import io.hxb.tool.sim.paper.ThesisThree;
import io.hxb.tool.sim.paper.VfrecNet;

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
        header = "Simulate the published tables of a paper.",
        description =
                "Print the tables beside the published ones. After Ctrl-C it prints "
                        + "those that are finished; with --out, the same command continues with "
                        + "the others.")
final class SimPaperCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "PAPER",
            description = "simulate thesis-3, thesis-4, thesis-5, switch-tagged or vfrec-net")
    private String paper;

    @Option(
            names = "--short",
            description = "simulate fewer networks and cycles: seconds instead of minutes")
    private boolean isShort;

    @Option(
            names = "--networks",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "simulate this many random networks of each size (default: 10; with "
                            + "--short 2)")
    private int networks;

    @Option(
            names = "--step",
            paramLabel = "CYCLES",
            defaultValue = "0",
            description =
                    "have hosts of the thesis make packets all at once, this far apart; "
                            + "0: at any time (default: ${DEFAULT-VALUE})")
    private long step;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            defaultValue = "",
            description =
                    "simulate only the tables whose name has this text, such as '64 " + "switches'")
    private String only;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description =
                    "write tables (.txt, .json) and plots (.svg) to this folder, and "
                            + "finished curves (.curves) while it runs")
    private Path folder;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "0",
            description = "make this many runs at once (default: one for each CPU)")
    private int threads;

    @Mixin private Output output;

    /** Picocli makes it. */
    SimPaperCommand() {}

    @Override
    public Integer call() throws IOException {
        if (folder != null && !Files.isDirectory(folder)) {
            throw new UsageException("there is no folder " + folder + " for the results");
        }
        if (step != 0 && !paper.startsWith("thesis-")) {
            throw new UsageException("--step would do nothing: it is for the papers thesis-N");
        }
        if (networks != 0 && !paper.equals("thesis-3") && !paper.equals("thesis-5")) {
            throw new UsageException(
                    "--networks would do nothing: thesis-3 and thesis-5 alone have random"
                            + " networks");
        }
        final int workers = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
        final CurveStore store =
                folder == null
                        ? CurveStore.none()
                        : CurveStore.in(folder.resolve(fileName(paper) + ".curves"));
        try (SweepProgress progress = new SweepProgress(1);
                Sweep sweep = new Sweep(workers, progress)) {
            final PaperReport report =
                    run(
                            new PaperSettings(
                                    sweep,
                                    progress,
                                    isShort,
                                    networks > 0 ? networks : isShort ? 2 : 10,
                                    step,
                                    only,
                                    folder,
                                    store));
            progress.finish();
            output.text().print(report);
            write(report);
            if (!report.isInterrupted()) {
                store.remove();
            }
            final Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("ok", report.hasAllShapes() && !report.isInterrupted());
            fields.putAll(report.fields());
            output.report(fields);
            return Boolean.TRUE.equals(fields.get("ok")) ? 0 : 1;
        }
    }

    private PaperReport run(final PaperSettings settings) throws IOException {
        return switch (paper) {
            case "thesis-3" -> ThesisThree.run(settings);
            case "thesis-4" -> ThesisFour.run(settings);
            case "thesis-5" -> ThesisFive.run(settings);
            case "switch-tagged" -> SwitchTagged.run(settings);
            case "vfrec-net" -> VfrecNet.run(settings);
            default ->
                    throw new UsageException(
                            "there is no paper '"
                                    + paper
                                    + "'; there are thesis-3, thesis-4, thesis-5, switch-tagged and"
                                    + " vfrec-net");
        };
    }

    private String fileName(final String title) {
        return title
                + (only.isEmpty() ? "" : "-" + only.replaceAll("[^a-z0-9]+", "-"))
                + PaperSettings.stepSuffix(step);
    }

    private void write(final PaperReport report) throws IOException {
        if (folder != null) {
            final String name = fileName(report.title());
            Files.writeString(folder.resolve(name + ".txt"), report.toString());
            Files.writeString(folder.resolve(name + ".json"), Json.line(report.fields()) + "\n");
        }
    }
}
