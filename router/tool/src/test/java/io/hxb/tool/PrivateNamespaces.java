package io.hxb.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A folder of named network namespaces that only this test sees, by a mount namespace that a
 * process holds: labs of other tests, which remove what a killed owner left, do not see it.
 */
final class PrivateNamespaces implements AutoCloseable {
    private static final Path FOLDER = Path.of("/run/netns");
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private final Process holder;

    /** Makes the folder, which is empty. */
    PrivateNamespaces() throws IOException {
        final String mount =
                "mkdir -p " + FOLDER + " && mount -t tmpfs tmpfs " + FOLDER + " && echo ready";
        holder =
                new ProcessBuilder(
                                List.of("unshare", "--mount", "sh", "-c", mount + " && read line"))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        if (!"ready".equals(holder.inputReader().readLine())) {
            throw new IOException("no mount namespace: unshare ended with " + awaitEnd());
        }
    }

    /** What a command has to start with to see this folder. */
    List<String> prefix() {
        return List.of("nsenter", "--mount=/proc/" + holder.pid() + "/ns/mnt", "--");
    }

    /** Names of the namespaces in it. */
    List<String> names() throws IOException {
        final Path seen = Path.of("/proc", Long.toString(holder.pid()), "root" + FOLDER);
        try (Stream<Path> files = Files.list(seen)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private int awaitEnd() {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (holder.isAlive() && System.nanoTime() - deadlineNs < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        return holder.isAlive() ? -1 : holder.exitValue();
    }

    /** Gives the folder up; it is gone with the last process that was started in it. */
    @Override
    public void close() throws IOException {
        holder.outputWriter().close();
        awaitEnd();
        holder.destroyForcibly().onExit().join();
    }
}
