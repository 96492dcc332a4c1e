package io.hxb.bench.programs;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.TcpRanks;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Ranks of an unchanged Open MPI that talk over TCP. Stateless. */
final class OpenMpi implements NetworkProgram {
    private static final int MAX_RANKS = 4;

    /** Parts of the time: mpi_perf derives its iterations from the warm-up, which is slower. */
    private static final double WARM_UP = 0.1;

    private static final double MEASURED = 2;

    @Override
    public String name() {
        return "Open MPI over TCP";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("mpirun", "openmpi-bin", "mpicc", "libopenmpi-dev");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("mpirun", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final List<Integer> safe = site.safeNodes();
        final List<Integer> ranks = new ArrayList<>(List.of(safe.getFirst()));
        ranks.addAll(safe.subList(Math.max(1, safe.size() - MAX_RANKS + 1), safe.size()));
        final List<String> program =
                Peers.c(
                        "mpi_perf",
                        "allreduce",
                        "--sizes",
                        "64K",
                        "--json",
                        "--warmup",
                        String.format(Locale.ROOT, "%.1f", WARM_UP * seconds),
                        "--seconds",
                        String.format(Locale.ROOT, "%.1f", MEASURED * seconds));
        final Site.Ended ended =
                site.local(
                        TcpRanks.commandByVirtualNics(
                                site.file(""), site.lab().spec(), ranks, site.prefix(), program));
        return ended.problem().isEmpty()
                ? outcome(ended.output().lines().toList())
                : Outcome.bad(ended.problem());
    }

    /** What its line of JSON says. */
    static Outcome outcome(final List<String> lines) {
        final List<String> reports = lines.stream().filter(line -> line.startsWith("{")).toList();
        if (reports.isEmpty()) {
            return Outcome.bad("it has reported nothing");
        }
        final JsonNode report = new JsonMapper().readTree(reports.getLast());
        return Outcome.good(
                String.format(
                        Locale.ROOT,
                        "allreduce of 64 KB in %.0f us",
                        report.path("p50_us").asDouble()),
                report.path("max_us").asDouble(Double.NaN) / 1e3);
    }
}
