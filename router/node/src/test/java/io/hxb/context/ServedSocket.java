package io.hxb.context;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The socket of a node under test, and the processes that use it, which die with it. */
final class ServedSocket implements AutoCloseable {
    private final Path path;
    private final List<Process> children = new ArrayList<>();

    ServedSocket(final Path directory) {
        path = directory.resolve("node.sock");
    }

    Path path() {
        return path;
    }

    /** Serves applications of the own user there. */
    AttachServer serve(final TestNode node) throws IOException {
        return new AttachServer(node.manager, path, AttachAccess.ownUser()).start();
    }

    /** Starts a process in a role of {@link ChildProcess}. */
    Process child(final String role, final int contextId) throws IOException {
        final Process process = ChildProcess.start(role, path, contextId);
        children.add(process);
        return process;
    }

    /** Kills the processes. */
    @Override
    public void close() {
        children.forEach(Process::destroyForcibly);
    }
}
