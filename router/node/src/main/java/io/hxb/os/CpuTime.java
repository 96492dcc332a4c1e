package io.hxb.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** CPU time that processes have used, user and system. Stateless. */
public final class CpuTime {
    /** Source: proc(5), stat: utime is field 14, and the fields up to comm are cut off here. */
    private static final int UTIME = 11;

    private static final long NS_PER_TICK = 10_000_000;

    private CpuTime() {}

    /** The sum over processes in ns; empty if one of them is gone. */
    public static OptionalLong ofNs(final List<Long> pids) {
        long ticks = 0;
        for (final long pid : pids) {
            try {
                final String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
                final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                ticks += Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1]);
            } catch (final IOException e) {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.of(ticks * NS_PER_TICK);
    }
}
