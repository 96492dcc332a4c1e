package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A node that may not open more files goes on, reports it to programs that attach, and logs little.
 */
@Tag("system")
class DescriptorLimitSystemTest {
    private static final int CONNECTIONS = 40;
    private static final int ROUNDS = 200;
    private static final long SECOND_NS = 1_000_000_000L;

    /** Of the node's log in about a second, in which there were 8.9 MB before. */
    private static final long MAX_LOG_BYTES = 20_000;

    @TempDir private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private Process node;

    @AfterEach
    void end() throws Exception {
        for (final AutoCloseable one : open) {
            one.close();
        }
        if (node != null) {
            node.destroyForcibly().waitFor();
        }
    }

    private Path socket() {
        return directory.resolve("node.sock");
    }

    @Test
    void shouldNotifyApplicationsWhenThereAreNoDescriptors() throws Exception {
        // given: a node that has descriptors for a few more connections
        final File log = directory.resolve("log").toFile();
        node = ChildProcess.startNode(socket(), log);
        try (PmDevice device = PmDevice.attach(socket());
                PmContext context = device.openContext(1)) {
            final long used = openFiles();
            limitFiles(used + CONNECTIONS);
            // when
            String refusal = "";
            for (int i = 0; i < 2 * CONNECTIONS && refusal.isEmpty(); i++) {
                refusal = attach();
            }
            // then
            assertTrue(refusal.contains("cannot take another connection"), refusal);
            assertTrue(refusal.contains("EMFILE"), refusal);
            final long logBefore = log.length();
            final Duration cpuBefore = cpu();
            final long startNs = System.nanoTime();
            final AttachMessage message = new AttachMessage();
            for (int i = 0; i < ROUNDS || System.nanoTime() - startNs < SECOND_NS; i++) {
                try (UnixSocket socket = UnixSocket.connect(socket())) {
                    socket.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
                    assertTrue(message.isRefusal() && message.text().contains("EMFILE"));
                }
            }
            final double seconds = (System.nanoTime() - startNs) / 1e9;
            final long logBytes = log.length() - logBefore;
            System.out.printf(
                    "at the limit of descriptors: %.0f bytes of log and %.2f CPU-s a second%n",
                    logBytes / seconds, cpu().minus(cpuBefore).toNanos() / 1e9 / seconds);
            assertTrue(logBytes < MAX_LOG_BYTES * seconds, logBytes + " bytes of log");
            // and what is attached goes on, and others may come when some have gone
            assertTrue(context.claim(0, 1, 8) >= 0);
            open.removeLast().close();
            TestNode.await("attached again", () -> attach().isEmpty());
        }
    }

    /** Attaches; why not, if it was refused. */
    private String attach() {
        try {
            open.add(PmDevice.attach(socket()));
            return "";
        } catch (final PmException e) {
            return e.getMessage();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/" + node.pid() + "/fd"))) {
            return files.count();
        }
    }

    private Duration cpu() {
        return node.info().totalCpuDuration().orElseThrow();
    }

    private void limitFiles(final long files) throws Exception {
        final int status =
                new ProcessBuilder(
                                "prlimit",
                                "--pid",
                                Long.toString(node.pid()),
                                "--nofile=" + files + ":" + files)
                        .inheritIO()
                        .start()
                        .waitFor();
        assertTrue(status == 0, "prlimit ended with " + status);
    }
}
