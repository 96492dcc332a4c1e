package io.hxb.bench.lab;

import io.hxb.bench.harness.BusyTime;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Figures of bulk data: its rate, and what the machine spends on it. Stateless. */
final class BulkFigures {
    /** In how many pieces a long frame arrived on average; only of those who send such. */
    static final String PIECES = "pieces";

    private BulkFigures() {}

    /**
     * What a program reports.
     *
     * @param found by the receiving program: {@code MBps} and, if it knows, {@link #PIECES}.
     */
    static Map<String, Double> figures(
            final JsonNode found, final BusyTime start, final BusyTime end) {
        final Map<String, Double> figures = figures(found.get("MBps").asDouble(), start, end);
        if (found.has(PIECES)) {
            figures.put(PIECES, found.get(PIECES).asDouble());
        }
        return figures;
    }

    /** Rate as {@code MBps}, CPU seconds for each GB as {@code cost}. */
    static Map<String, Double> figures(
            final double megabytesPerSecond, final BusyTime start, final BusyTime end) {
        final double gigabytes = megabytesPerSecond * end.secondsSince(start) / 1e3;
        final Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("MBps", megabytesPerSecond);
        figures.put("cost", end.cpuSecondsSince(start) / gigabytes);
        return figures;
    }

    /** A time in seconds, as the programs take it. */
    static String text(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** Sleeps until a time of {@link System#nanoTime()}. */
    static void sleepUntil(final long ns) {
        while (ns - System.nanoTime() > 0) {
            LockSupport.parkNanos(ns - System.nanoTime());
        }
    }
}
