package io.hxb.bench.programs;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Requests of eight clients to a database in memory. Stateless. */
final class Redis implements NetworkProgram {
    private static final int PORT = 6379;
    private static final int REQUESTS = 5_000;

    /** Column of the longest request, in ms. */
    private static final int MAX_COLUMN = 7;

    @Override
    public String name() {
        return "redis-benchmark";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("redis-server", "redis-server", "redis-benchmark", "redis-tools");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("redis-server", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final String port = Integer.toString(PORT);
        site.serve(
                PORT,
                List.of(
                        "redis-server",
                        "--bind",
                        site.address(),
                        "--port",
                        port,
                        "--protected-mode",
                        "no",
                        "--save",
                        "",
                        "--appendonly",
                        "no"));
        final String benchmark =
                "redis-benchmark --csv -t set,get -c 8 -n %d -h %s -p %s"
                        .formatted(REQUESTS, site.address(), port);
        final Site.Ended ended =
                site.client(List.of("sh", "-c", Repeat.script(benchmark, seconds)));
        return ended.problem().isEmpty()
                ? outcome(ended.output().lines().toList(), seconds)
                : Outcome.bad(ended.problem());
    }

    /** What its lines of CSV say. */
    static Outcome outcome(final List<String> lines, final double seconds) {
        double longestMs = 0;
        long requests = 0;
        for (final String line : lines) {
            final String[] cells = line.replace("\"", "").split(",", -1);
            if (cells.length > MAX_COLUMN && (cells[0].equals("SET") || cells[0].equals("GET"))) {
                requests += REQUESTS;
                longestMs = Math.max(longestMs, Double.parseDouble(cells[MAX_COLUMN]));
            }
        }
        return requests == 0
                ? Outcome.bad("no request was answered")
                : Outcome.good(
                        String.format(Locale.ROOT, "%.0f requests a second", requests / seconds),
                        longestMs);
    }
}
