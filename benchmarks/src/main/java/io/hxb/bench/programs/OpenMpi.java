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
                        "--seconds",
                        String.format(Locale.ROOT, "%.1f", seconds));
        // It derives its iterations from the first ones, which are slow, and may end early.
        final List<String> command = new ArrayList<>(Repeat.command(seconds));
        command.addAll(
                TcpRanks.commandByVirtualNics(
                        site.file(""), site.lab().spec(), ranks, site.prefix(), program));
        final Site.Ended ended = site.local(command);
        return ended.problem().isEmpty()
                ? outcome(ended.output().lines().toList())
                : Outcome.bad(ended.problem());
    }

    /** What its lines of JSON say, one for each time that it ran. */
    static Outcome outcome(final List<String> lines) {
        final List<String> reports = lines.stream().filter(line -> line.startsWith("{")).toList();
        if (reports.isEmpty()) {
            return Outcome.bad("it has reported nothing");
        }
        final JsonMapper mapper = new JsonMapper();
        final JsonNode report = mapper.readTree(reports.getLast());
        return Outcome.good(
                String.format(
                        Locale.ROOT,
                        "allreduce of 64 KB in %.0f us",
                        report.path("p50_us").asDouble()),
                reports.stream()
                        .mapToDouble(each -> maxMs(mapper.readTree(each)))
                        .reduce(Double::max)
                        .getAsDouble());
    }

    private static double maxMs(final JsonNode report) {
        return report.path("max_us").asDouble(Double.NaN) / 1e3;
    }
}
