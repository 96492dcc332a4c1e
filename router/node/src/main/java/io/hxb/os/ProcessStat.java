package io.hxb.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What the kernel shows of a process, to tell whether one that was remembered still runs.
 * Immutable. Source: proc_pid_stat(5), pid_namespaces(7).
 *
 * @param pid process id in its own namespace.
 * @param startTicks when it started, in clock ticks since boot; with the pid it names a process for
 *     good.
 * @param namespace number of its pid namespace; 0 when unknown.
 */
public record ProcessStat(long pid, long startTicks, long namespace) {
    private static final int START_FIELD_AFTER_NAME = 19;

    /** This process. */
    public static ProcessStat ofThisProcess() {
        final long pid = ProcessHandle.current().pid();
        final Path proc = Path.of("/proc");
        try {
            final String[] fields = fields(proc, pid);
            return new ProcessStat(
                    pid, Long.parseLong(fields[START_FIELD_AFTER_NAME]), namespace(proc));
        } catch (final IOException | RuntimeException e) {
            return new ProcessStat(pid, 0, 0);
        }
    }

    /**
     * True if the process has certainly ended. False while it runs, and when that cannot be known
     * because the process belongs to another pid namespace, or this user sees no processes of
     * others.
     */
    public boolean hasEnded() {
        return hasEnded(Path.of("/proc"));
    }

    /** As {@link #hasEnded()}, with the mount point of proc. */
    boolean hasEnded(final Path proc) {
        try {
            if (namespace == 0 || namespace != namespace(proc)) {
                return false;
            }
            final String[] fields = fields(proc, pid);
            final boolean isZombie = fields[0].equals("Z") || fields[0].equalsIgnoreCase("X");
            return isZombie || Long.parseLong(fields[START_FIELD_AFTER_NAME]) != startTicks;
        } catch (final NoSuchFileException e) {
            // With the mount option hidepid, others' processes are not there at all.
            return Files.exists(proc.resolve("1"));
        } catch (final IOException | RuntimeException e) {
            return false;
        }
    }

    // The name may contain spaces and parentheses.
    private static String[] fields(final Path proc, final long pid) throws IOException {
        final Path file = proc.resolve(Long.toString(pid)).resolve("stat");
        final String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        return text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    }

    private static long namespace(final Path proc) throws IOException {
        final Path link = Files.readSymbolicLink(proc.resolve("self/ns/pid"));
        return Long.parseLong(link.toString().replaceAll("\\D", ""));
    }
}
