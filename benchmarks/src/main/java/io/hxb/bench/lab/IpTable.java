package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.Series;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The table of {@code lab ip}: one line a contestant, without the columns in which no line has
 * anything. Used by one thread.
 */
final class IpTable {
    private static final String NONE = "-";

    /** Header of the figures that any contestant may have, and their names. */
    private static final List<Map.Entry<String, String>> FIGURES =
            List.of(
                    Map.entry("goodput MB/s", "MBps"),
                    Map.entry("CPU-s a GB", "cost"),
                    Map.entry("round trip us", "p50_us"),
                    Map.entry("99 % us", "p99_us"),
                    Map.entry("idle round trip us", "idle p50_us"),
                    Map.entry("idle 99 % us", "idle p99_us"));

    private static final List<Map.Entry<String, String>> COUNTS =
            List.of(
                    Map.entry("segments sent again", "resent"),
                    Map.entry("gaps", "gaps"),
                    Map.entry("marks", "marks"),
                    Map.entry("drops", "drops"),
                    Map.entry("HXB frames sent again", "resent frames"),
                    Map.entry("received twice", "duplicate frames"),
                    Map.entry("longest extra delay us", DelayBox.LATE),
                    Map.entry("frames lost", "lost"));

    /** The header. */
    static final String[] COLUMNS =
            Stream.of(
                            Stream.of("what", "who"),
                            FIGURES.stream().map(Map.Entry::getKey),
                            Stream.of(
                                    "of the first",
                                    "longest standstill ms, pulled",
                                    "back",
                                    "before any"),
                            COUNTS.stream().map(Map.Entry::getKey))
                    .flatMap(names -> names)
                    .toArray(String[]::new);

    private final List<String[]> lines = new ArrayList<>();

    /** Adds a line for each contestant. */
    void add(final String what, final Contest.Results results) {
        results.series().keySet().forEach(who -> lines.add(line(what, who, results)));
    }

    /** Writes all lines. */
    void write(final Report report) {
        final int[] used =
                IntStream.range(0, COLUMNS.length)
                        .filter(i -> lines.stream().anyMatch(line -> !line[i].equals(NONE)))
                        .toArray();
        report.columns(chosen(COLUMNS, used));
        lines.forEach(line -> report.line(chosen(line, used)));
    }

    private static String[] chosen(final String[] cells, final int... used) {
        return Arrays.stream(used).mapToObj(i -> cells[i]).toArray(String[]::new);
    }

    /** The line of one contestant; its goodput is divided by that of the first, round by round. */
    static String[] line(final String what, final String who, final Contest.Results results) {
        final Map<String, Series> figures = results.series().get(who);
        final String first = results.series().keySet().iterator().next();
        final List<String> cells = new ArrayList<>(List.of(what, who));
        FIGURES.forEach(figure -> cells.add(format(figures.get(figure.getValue()))));
        cells.add(
                who.equals(first) || !figures.containsKey("MBps")
                        ? NONE
                        : results.ratio(who, first, "MBps").format());
        cells.add(all(figures, Standstills.PULLED));
        cells.add(all(figures, Standstills.BACK));
        cells.add(format(figures.get(Standstills.QUIET)));
        COUNTS.forEach(figure -> cells.add(format(figures.get(figure.getValue()))));
        return cells.toArray(String[]::new);
    }

    private static String format(final Series series) {
        return series == null ? NONE : series.format();
    }

    private static String all(final Map<String, Series> figures, final String kind) {
        final double[] samples =
                Standstills.all(figures, kind).stream()
                        .flatMapToDouble(series -> Arrays.stream(series.samples()))
                        .toArray();
        return samples.length == 0 ? NONE : new Series(samples).format();
    }
}
