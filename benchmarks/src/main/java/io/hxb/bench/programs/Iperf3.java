package io.hxb.bench.programs;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One TCP connection as fast as it goes. Stateless. */
final class Iperf3 implements NetworkProgram {
    private static final int PORT = 5201;
    private static final double INTERVAL_S = 0.1;

    @Override
    public String name() {
        return "iperf3";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("iperf3", "iperf3");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("iperf3", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final String port = Integer.toString(PORT);
        site.serve(PORT, List.of("iperf3", "-s", "-B", site.address(), "-p", port));
        final Site.Ended ended =
                site.client(
                        List.of(
                                "iperf3",
                                "-c",
                                site.address(),
                                "-p",
                                port,
                                // The client receives: its intervals show when nothing came.
                                "-R",
                                "-J",
                                "-i",
                                Double.toString(INTERVAL_S),
                                "-t",
                                Long.toString(Math.round(Math.ceil(seconds)))));
        return ended.problem().isEmpty()
                ? outcome(new JsonMapper().readTree(ended.output()))
                : Outcome.bad(ended.problem());
    }

    /** What its report says. */
    static Outcome outcome(final JsonNode report) {
        int longest = 0;
        int run = 0;
        for (final JsonNode interval : report.path("intervals")) {
            run = interval.path("sum").path("bytes").asLong(0) == 0 ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        final double rate =
                report.path("end").path("sum_received").path("bits_per_second").asDouble(0) / 8e6;
        return rate == 0
                ? Outcome.bad("nothing was received")
                : Outcome.good(
                        String.format(Locale.ROOT, "%.0f MB/s", rate), longest * INTERVAL_S * 1e3);
    }
}
