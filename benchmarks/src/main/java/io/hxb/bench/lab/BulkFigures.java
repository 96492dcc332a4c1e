package io.hxb.bench.lab;

import io.hxb.bench.harness.BusyTime;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Figures of bulk data: its rate, and what the machine spends on it. Stateless. */
final class BulkFigures {
    private BulkFigures() {}

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
