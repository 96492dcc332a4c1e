package io.hxb.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The autogroup of this process's session: the kernel gives CPU time to all processes of a session
 * together, and nice values count within the session only. Source: sched(7), "The autogroup
 * feature". Stateless.
 */
public final class Autogroup {
    /** Index among the fields after the name: state, parent, process group, session. */
    private static final int SESSION_FIELD = 3;

    private Autogroup() {}

    /**
     * Sets the nice value of the group of this process, if it leads its session: otherwise the
     * group is that of a shell, or of whatever has started the process, and stays as it is.
     *
     * @param nice -20 (most CPU time) to 19; a lower value than now needs CAP_SYS_NICE.
     * @return true if it was set; false if the session is not this process's own.
     * @throws IOException if the kernel has no such groups, or does not allow it.
     */
    public static boolean nice(final int nice) throws IOException {
        final String stat = Files.readString(Path.of("/proc/self/stat"));
        if (session(stat) != ProcessHandle.current().pid()) {
            return false;
        }
        Files.writeString(Path.of("/proc/self/autogroup"), Integer.toString(nice));
        return true;
    }

    /** The session of a process whose file {@code /proc/PID/stat} this is. */
    static long session(final String stat) {
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[SESSION_FIELD]);
    }
}
