package io.hxb.bench.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * For how long the CPUs of the machine have not been idle until a moment, whichever process used
 * them. Tick samples of who does are wrong where CPUs sleep, as they miss what ends between two
 * ticks.
 *
 * @param atNs the moment, as System.nanoTime counts.
 * @param busyNs CPU time since any start, in steps of 10 ms.
 */
public record BusyTime(long atNs, long busyNs) {
    private static final long TICK_NS = 10_000_000;

    /** Until now. */
    public static BusyTime now() {
        try (Stream<String> stat = Files.lines(Path.of("/proc/stat"))) {
            final List<String> lines = stat.filter(line -> line.startsWith("cpu")).toList();
            final String[] fields = lines.getFirst().trim().split(" +", -1);
            // Source: proc_stat(5): cpu, user, nice, system, idle, iowait.
            final long idleNs = (Long.parseLong(fields[4]) + Long.parseLong(fields[5])) * TICK_NS;
            final long nowNs = System.nanoTime();
            // A line for all CPUs, and one for each.
            return new BusyTime(nowNs, nowNs * (lines.size() - 1) - idleNs);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Seconds from then to this. */
    public double secondsSince(final BusyTime then) {
        return (atNs - then.atNs) / 1e9;
    }

    /** CPU-seconds from then to this. */
    public double cpuSecondsSince(final BusyTime then) {
        return (busyNs - then.busyNs) / 1e9;
    }
}
