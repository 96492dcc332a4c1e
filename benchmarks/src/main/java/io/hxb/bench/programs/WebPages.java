package io.hxb.bench.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Pages of a web server, one after the other, each by a process and a connection of its own. */
final class WebPages implements NetworkProgram {
    private static final int PORT = 8080;
    private static final int PAGE_BYTES = 100_000;

    @Override
    public String name() {
        return "http.server, curl";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("python3", "python3", "curl", "curl");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("curl", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        Files.write(site.file("page"), new byte[PAGE_BYTES]);
        site.serve(
                PORT,
                List.of(
                        "python3",
                        "-m",
                        "http.server",
                        "--bind",
                        site.address(),
                        Integer.toString(PORT)));
        final String page = "http://" + site.address() + ":" + PORT + "/page";
        final String get =
                "curl -sS -m 30 -o /dev/null -w '%{http_code} %{size_download} %{time_total}\\n' "
                        + page;
        return outcome(site.client(List.of("sh", "-c", Repeat.script(get, seconds))));
    }

    private static Outcome outcome(final Site.Ended ended) throws IOException {
        return ended.problem().isEmpty()
                ? outcome(ended.output().lines().toList())
                : Outcome.bad(ended.problem());
    }

    /**
     * What its lines say.
     *
     * @param lines status, bytes, and seconds of each page.
     */
    static Outcome outcome(final List<String> lines) {
        double longest = 0;
        for (final String line : lines) {
            final String[] words = line.split(" ", -1);
            if (words.length != 3
                    || !words[0].equals("200")
                    || !words[1].equals(Integer.toString(PAGE_BYTES))) {
                return Outcome.bad("a page did not come whole: " + line);
            }
            longest = Math.max(longest, Double.parseDouble(words[2]));
        }
        return lines.isEmpty()
                ? Outcome.bad("no page has come")
                : Outcome.good(String.format(Locale.ROOT, "%d pages", lines.size()), longest * 1e3);
    }
}
