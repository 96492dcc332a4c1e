package io.hxb.context;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A cgroup with a limit of memory, for tests; of version 1 or 2. */
final class MemoryGroup implements AutoCloseable {
    private static final Path FIRST = Path.of("/sys/fs/cgroup/memory");
    private static final Path SECOND = Path.of("/sys/fs/cgroup");

    private final Path folder;

    private MemoryGroup(final Path folder) {
        this.folder = folder;
    }

    /** Makes one; the test is skipped where that is not possible. */
    static MemoryGroup make(final String name, final long limitBytes) {
        final boolean isFirst = Files.isDirectory(FIRST);
        final Path folder = (isFirst ? FIRST : SECOND).resolve(name);
        final String limit = isFirst ? "memory.limit_in_bytes" : "memory.max";
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(limit), Long.toString(limitBytes));
            return new MemoryGroup(folder);
        } catch (final IOException e) {
            Assumptions.abort("no cgroup with a limit of memory can be made here: " + e);
            throw new IllegalStateException(e);
        }
    }

    /** Moves a process into it: what it touches from now on is charged to the group. */
    void add(final long pid) throws IOException {
        Files.writeString(folder.resolve("cgroup.procs"), Long.toString(pid));
    }

    /** Removes it, when its processes have ended. */
    @Override
    public void close() throws IOException {
        TestNode.await("its processes have ended", () -> isEmpty(folder.resolve("cgroup.procs")));
        Files.delete(folder);
    }

    private static boolean isEmpty(final Path processes) {
        try (Stream<String> lines = Files.lines(processes)) {
            return lines.findAny().isEmpty();
        } catch (final IOException e) {
            return false;
        }
    }
}
