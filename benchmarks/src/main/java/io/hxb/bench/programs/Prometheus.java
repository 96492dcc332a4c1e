package io.hxb.bench.programs;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A server of Prometheus at the last node that scrapes all others. Stateless. */
final class Prometheus implements NetworkProgram {
    private static final int PORT = 9100;
    private static final int SERVER_PORT = 9090;
    private static final String INTERVAL = "500ms";
    private static final double INTERVAL_S = 0.5;
    private static final String METRIC = "hxb_answer";
    private static final String VALUE = "42";

    @Override
    public String name() {
        return "Prometheus";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("prometheus", "prometheus", "python3", "python3", "curl", "curl");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("prometheus", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        Files.writeString(site.file("metrics"), METRIC + " " + VALUE + "\n");
        final List<String> targets = new ArrayList<>();
        final List<Integer> safe = site.safeNodes();
        for (final int node : safe.subList(0, safe.size() - 1)) {
            final String address = site.prefix().address(node);
            final String port = Integer.toString(PORT);
            site.serve(node, PORT, List.of("python3", "-m", "http.server", "-b", address, port));
            targets.add("'" + address + ":" + port + "'");
        }
        Files.writeString(site.file("prometheus.yml"), configuration(targets));
        final int server = safe.getLast();
        final String address = site.prefix().address(server) + ":" + SERVER_PORT;
        site.serve(
                server,
                SERVER_PORT,
                List.of(
                        "prometheus",
                        "--config.file=" + site.file("prometheus.yml"),
                        "--storage.tsdb.path=" + site.file("data"),
                        "--web.listen-address=" + address));
        site.check(List.of("bash", "-c", awaitTargets(address, targets.size())));
        final Site.Ended ended = site.client(List.of("bash", "-c", script(address, seconds)));
        return ended.problem().isEmpty()
                ? outcome(new JsonMapper().readTree(ended.output()), targets.size())
                : Outcome.bad(ended.problem());
    }

    private static String configuration(final List<String> targets) {
        return """
        global: {scrape_interval: %s, scrape_timeout: %s}
        scrape_configs:
          - job_name: hxb
            static_configs: [{targets: [%s]}]
        """
                .formatted(INTERVAL, INTERVAL, targets.stream().collect(Collectors.joining(", ")));
    }

    // It begins to scrape some seconds after it takes connections.
    private static String awaitTargets(final String server, final int targets) {
        return ("until curl -gsSf 'http://%s/api/v1/query?query=sum(up)' | grep -F '\"%d\"]';"
                        + " do sleep 0.2; done")
                .formatted(server, targets);
    }

    // What it has seen in this time is asked for, and no more.
    private static String script(final String address, final double seconds) {
        return String.format(
                Locale.ROOT,
                "sleep %.1f; curl -gsSf"
                        + " 'http://%s/api/v1/query?query={__name__=~\"up|%s\"}[%ds]'",
                seconds,
                address,
                METRIC,
                Math.round(Math.ceil(seconds)));
    }

    /**
     * What it has seen.
     *
     * @param answer series of whether scrapes succeeded and of what they brought, as the HTTP API
     *     gives them: a list of time in seconds and value.
     */
    static Outcome outcome(final JsonNode answer, final int targets) {
        int upTargets = 0;
        int scrapes = 0;
        int lost = 0;
        double longestS = 0;
        for (final JsonNode series : answer.path("data").path("result")) {
            final boolean isUp = series.path("metric").path("__name__").asString().equals("up");
            double lastS = 0;
            boolean isLost = true;
            for (final JsonNode sample : series.path("values")) {
                final String value = sample.get(1).asString();
                if (!isUp && !value.equals(VALUE)) {
                    return Outcome.bad("a scrape brought " + value);
                }
                if (!isUp) {
                    continue;
                }
                scrapes++;
                isLost = !value.equals("1");
                if (isLost) {
                    lost++;
                    continue;
                }
                final double nowS = sample.get(0).asDouble();
                longestS = lastS == 0 ? longestS : Math.max(longestS, nowS - lastS - INTERVAL_S);
                lastS = nowS;
            }
            upTargets += isUp && !isLost ? 1 : 0;
        }
        return upTargets < targets
                ? Outcome.bad("of " + targets + " targets " + upTargets + " were up at the end")
                : Outcome.good(
                        "%d scrapes, %d of them lost".formatted(scrapes, lost),
                        Math.max(0, longestS) * 1e3);
    }
}
