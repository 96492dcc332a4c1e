package io.hxb.bench.programs;

import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page whose script loads a file again and again, in a browser without a window. Stateless. */
final class Browser implements NetworkProgram {
    private static final int PORT = 8081;
    private static final int FILE_BYTES = 100_000;
    private static final Pattern RESULT = Pattern.compile("<p id=\"result\">(.*?)</p>");
    private static final Pattern GOOD = Pattern.compile("([0-9]+) loads, ([0-9]+) ms");

    @Override
    public String name() {
        return "chromium";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("python3", "python3", "chromium", "chromium");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("chromium", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        Files.writeString(site.file("file"), "x".repeat(FILE_BYTES));
        Files.writeString(site.file("page.html"), page(seconds));
        final String port = Integer.toString(PORT);
        site.serve(PORT, List.of("python3", "-m", "http.server", "--bind", site.address(), port));
        final Site.Ended ended =
                site.client(
                        List.of(
                                "chromium",
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--user-data-dir=" + site.file("profile"),
                                "--dump-dom",
                                "http://" + site.address() + ":" + port + "/page.html"));
        return ended.problem().isEmpty() ? outcome(ended.output()) : Outcome.bad(ended.problem());
    }

    private static String page(final double seconds) {
        return """
        <!DOCTYPE html>
        <title>HXB</title>
        <p id="result">nothing</p>
        <script>
        const end = performance.now() + %d;
        let loads = 0, longest = 0, problem = "";
        while (performance.now() < end && problem === "") {
          const from = performance.now();
          const request = new XMLHttpRequest();
          request.overrideMimeType("text/plain; charset=x-user-defined");
          request.open("GET", "file?" + loads, false);
          try {
            request.send();
            if (request.status !== 200 || request.responseText !== "x".repeat(%d)) {
              problem = "a file did not come whole: status " + request.status;
            }
          } catch (failure) {
            problem = failure.message;
          }
          loads++;
          longest = Math.max(longest, performance.now() - from);
        }
        document.getElementById("result").textContent =
            problem === "" ? loads + " loads, " + Math.round(longest) + " ms" : problem;
        </script>
        """
                .formatted(Math.round(seconds * 1e3), FILE_BYTES);
    }

    /** What the page says at its end. */
    static Outcome outcome(final String page) {
        final Matcher result = RESULT.matcher(page);
        if (!result.find()) {
            return Outcome.bad("the page was not loaded");
        }
        final Matcher good = GOOD.matcher(result.group(1));
        return good.matches()
                ? Outcome.good(
                        String.format(Locale.ROOT, "%s files", good.group(1)),
                        Double.parseDouble(good.group(2)))
                : Outcome.bad(result.group(1));
    }
}
