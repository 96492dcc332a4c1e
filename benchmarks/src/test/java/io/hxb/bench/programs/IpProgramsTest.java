package io.hxb.bench.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What ip-programs reads from programs, and what it has fail. */
@Tag("unit")
class IpProgramsTest {
    @TempDir private Path folder;

    private static Outcome iperf(final String intervals, final String end) {
        return Iperf3.outcome(
                new JsonMapper()
                        .readTree("{\"intervals\":[" + intervals + "],\"end\":" + end + "}"));
    }

    private static String interval(final int bytes) {
        return "{\"sum\":{\"bytes\":" + bytes + "}}";
    }

    @Test
    void shouldCountIntervalsInARowInWhichIperf3GotNothing() {
        // given
        final String intervals =
                String.join(
                        ",",
                        interval(5),
                        interval(0),
                        interval(5),
                        interval(0),
                        interval(0),
                        interval(5));
        // when
        final Outcome outcome = iperf(intervals, "{\"sum_received\":{\"bits_per_second\":8e8}}");
        // then
        assertEquals(new Outcome("", "100 MB/s", 200), outcome);
        assertFalse(iperf(intervals, "{}").isGood(), "it has no sum");
    }

    @Test
    void shouldTakeTheLongestPageForThePause() {
        assertEquals(
                new Outcome("", "3 pages", 250),
                WebPages.outcome(
                        List.of("200 100000 0.010", "200 100000 0.25", "200 100000 0.001")));
    }

    @Test
    void shouldRefusePagesThatDidNotComeWhole() {
        for (final String line :
                List.of("404 100000 0.01", "200 99999 0.01", "curl: (7) no connection", "")) {
            final Outcome outcome = WebPages.outcome(List.of("200 100000 0.01", line));
            assertEquals("a page did not come whole: " + line, outcome.problem());
        }
        assertFalse(WebPages.outcome(List.of()).isGood());
    }

    @Test
    void shouldReadRequestsAndTheLongestOneOfRedis() {
        // given
        final List<String> lines =
                List.of(
                        "\"test\",\"rps\",\"avg\",\"min\",\"p50\",\"p95\",\"p99\",\"max\"",
                        "\"SET\",\"9000.00\",\"0.8\",\"0.1\",\"0.7\",\"1.9\",\"3.1\",\"12.5\"",
                        "\"GET\",\"9000.00\",\"0.8\",\"0.1\",\"0.7\",\"1.9\",\"3.1\",\"140.5\"");
        // when, then
        assertEquals(new Outcome("", "1000 requests a second", 140.5), Redis.outcome(lines, 10));
        assertFalse(Redis.outcome(lines.subList(0, 1), 10).isGood());
    }

    @Test
    void shouldReadTheReportOfRanks() {
        assertEquals(
                new Outcome("", "allreduce of 64 KB in 410 us", 20.5),
                OpenMpi.outcome(
                        List.of("a warning", "{\"p50_us\":410.2,\"max_us\":20500.0,\"rate\":1}")));
        assertFalse(OpenMpi.outcome(List.of("a warning")).isGood());
    }

    @Test
    void shouldTakeTheLongestReadOfNfsForThePause() {
        assertEquals(
                new Outcome("", "3 files of 1000 KB, same", 250.5),
                Nfs.outcome(List.of("9000", "250500", "7000")));
        assertEquals("copy x differ", Nfs.outcome(List.of("9", "copy x differ")).problem());
        assertFalse(Nfs.outcome(List.of()).isGood());
    }

    @Test
    void shouldReadWhatThePageOfTheBrowserSays() {
        assertEquals(
                new Outcome("", "120 files", 340),
                Browser.outcome("<html><p id=\"result\">120 loads, 340 ms</p></html>"));
        assertEquals("status 404", Browser.outcome("<p id=\"result\">status 404</p>").problem());
        assertFalse(Browser.outcome("<p>other</p>").isGood());
    }

    @Test
    void shouldCompareTransactionsWithWhatTheDatabaseHas() {
        final List<String> lines = List.of("0 1 5100 0 17 1", "1 1 90250 0 17 2");
        assertEquals(
                new Outcome("", "1 transactions a second, sums agree", 90.25),
                Postgres.outcome(lines, "2 true", 2));
        assertEquals(
                "2 transactions ended, the database has 3 true",
                Postgres.outcome(lines, "3 true", 2).problem());
        assertFalse(Postgres.outcome(lines, "2 false", 2).isGood());
        assertFalse(Postgres.outcome(List.of(), "0 true", 2).isGood());
    }

    private static Outcome prometheus(final String up, final String value) {
        return Prometheus.outcome(
                new JsonMapper()
                        .readTree(
                                """
                                {"data":{"result":[
                                 {"metric":{"__name__":"up"},"values":[%s]},
                                 {"metric":{"__name__":"hxb_answer"},"values":[[9,"%s"]]}]}}
                                """
                                        .formatted(up, value)),
                1);
    }

    @Test
    void shouldMeasureFromOneScrapeThatSucceededToTheNext() {
        assertEquals(
                new Outcome("", "4 scrapes, 1 of them lost", 750),
                prometheus("[10,\"1\"],[10.5,\"1\"],[11.25,\"0\"],[11.75,\"1\"]", "42"));
        assertEquals(
                "of 1 targets 0 were up at the end",
                prometheus("[10,\"1\"],[10.5,\"0\"]", "42").problem());
        assertEquals("a scrape brought 41", prometheus("[10,\"1\"]", "41").problem());
    }

    @Test
    void shouldBelieveHpccOnlyIfAllItsChecksPassed() {
        final List<String> good =
                List.of(
                        "Found 0 errors in 8192 locations (passed).",
                        "    0 tests completed and failed residual checks.",
                        "Success=1");
        assertEquals("1 runs on 8 nodes, all passed", Hpcc.outcome(good, 8).figure());
        for (final String bad :
                List.of(
                        "Found 3 errors in 8192 locations (failed).",
                        "1 tests completed and failed residual checks,",
                        "WALL   100   100  32  32   1   4     0.05 FAILED    0.002  0.00",
                        "Success=0")) {
            assertEquals(bad, Hpcc.outcome(List.of("Success=1", bad), 8).problem());
        }
        assertEquals("no run has ended", Hpcc.outcome(good.subList(0, 2), 8).problem());
    }

    @Test
    void shouldMeasureBetweenGrowthsAlone() {
        // given
        final FileGrowth.Pauses pauses = new FileGrowth.Pauses();
        // when: it begins late, grows, stands for 7 ms, grows, and stands at its end
        pauses.sample(0, 0);
        pauses.sample(50_000_000, 10);
        pauses.sample(51_000_000, 10);
        pauses.sample(57_000_000, 20);
        pauses.sample(58_000_000, 30);
        pauses.sample(99_000_000, 30);
        // then
        assertEquals(7, pauses.longestMs());
    }

    @Test
    void shouldFailForAPauseThatIsTooLong() {
        assertTrue(Outcome.good("figure", 100).within(100).isGood());
        assertEquals("a pause of 101 ms", Outcome.good("figure", 101).within(100).problem());
        assertTrue(Outcome.good("figure", Double.NaN).within(100).isGood(), "it is not known");
        assertEquals("other", Outcome.bad("other").within(0).problem());
    }

    @Test
    void shouldNotCallAProgramGoodThatFailedOrSawNoFault() {
        assertEquals("", new Site.Ended(0, "text", true).problem());
        assertEquals("status 7: last", new Site.Ended(7, "first\nlast\n", true).problem());
        assertEquals("status 1: no output", new Site.Ended(1, "", true).problem());
        assertEquals("it ended before the faults did", new Site.Ended(0, "", false).problem());
    }

    @Test
    void shouldPullALinkAndKillARelayWhereThereIsADetour() {
        assertEquals(
                """
                - {at: 2.0s, pull: "x.0 of (0,0)", for: 2.0s}
                - {at: 5.5s, kill: "(1,0)", for: 2.0s}
                """,
                Faults.text(Shape.parse("2x2"), 10, true));
        assertEquals(
                "- {at: 2.0s, pull: \"x.0 of (0)\", for: 2.0s}\n",
                Faults.text(Shape.parse("2"), 10, false));
    }

    @Test
    void shouldNameThePackagesOfCommandsThatAreMissing() throws Exception {
        // given
        final Path here = Files.createFile(folder.resolve("here"));
        assertTrue(here.toFile().setExecutable(true));
        Files.createFile(folder.resolve("text"));
        final String path = "/nowhere:" + folder;
        // when, then
        assertEquals(List.of(), IpPrograms.missing(Map.of("here", "a"), path));
        assertEquals(List.of(), IpPrograms.missing(Map.of(here.toString(), "a"), "/nowhere"));
        assertEquals(
                List.of("b", "c"),
                IpPrograms.missing(
                        Map.of("here", "a", "text", "b", "gone", "c", "/gone", "c"), path));
    }

    @Test
    void shouldFindVersions() {
        assertEquals("4.1.4", IpPrograms.version("mpirun (Open MPI) 4.1.4\n\nReport bugs to"));
        assertEquals("3.12", IpPrograms.version("iperf 3.12 (cJSON 1.7.15)"));
        assertEquals("-", IpPrograms.version("no such program"));
    }
}
