package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.os.Capabilities;
import io.hxb.testing.NotifySocket;
import io.hxb.testing.TestPorts;
import io.hxb.tool.machine.Privileges;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A node as systemd runs it: it reports that it is ready and alive, and gives up its rights. */
@Tag("system")
class ServiceSystemTest {
    @TempDir private Path folder;

    @Test
    void shouldReportThatItIsReadyAndAliveAndKeepNoRightsThatItDoesNotNeed() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: rights to give up are root's");
        // given
        final String socket = folder.resolve("notify").toString();
        final Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: served\n"
                                + "shape: 2\n"
                                + "backend: udp\n"
                                + "links: {x: 1}\n"
                                + "udp: {basePort: "
                                + TestPorts.take(4)
                                + "}\n"
                                + "nodes: {1: {host: localhost}}\n"
                                + "attach: {directory: "
                                + folder
                                + ", countersDirectory: "
                                + folder
                                + "}\nloop: {loops: 2}\n");
        final List<String> prefix =
                List.of("env", "NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=400000");
        try (NotifySocket manager = new NotifySocket(socket);
                HxbProcess node =
                        HxbProcess.start(
                                folder,
                                prefix,
                                "node",
                                "--config",
                                file.toString(),
                                "--node",
                                "0")) {
            // when
            node.await(
                    "signs of life",
                    () -> manager.received().stream().filter("WATCHDOG=1"::equals).count() >= 3);

            // then
            assertTrue(
                    manager.received().contains("READY=1\nSTATUS=node 0 of cluster served"),
                    manager.received()::toString);
            final List<Rights> rights = rights(node.process().pid());
            for (final String thread :
                    List.of(
                            "hxb-loop-0",
                            "hxb-loop-1",
                            "hxb-attach",
                            "hxb-counters",
                            "hxb-log",
                            "hxb-names")) {
                assertTrue(
                        rights.stream().anyMatch(of -> of.thread.equals(thread)),
                        thread + " is not among " + rights);
            }
            for (final Rights of : rights) {
                assertTrue(
                        of.isOfVirtualMachine()
                                || (of.permitted & ~Capabilities.DAC_READ_SEARCH) == 0,
                        of + " of " + rights);
            }

            // and: it ends in order
            node.process().destroy();
            node.process().waitFor();
            assertTrue(manager.received().contains("STOPPING=1"), manager.received()::toString);
        }
    }

    /**
     * What a thread may do.
     *
     * @param thread its name, of which the kernel keeps 15 bytes.
     * @param isFirst true for the one that has started the virtual machine and waits for its end.
     * @param permitted its capabilities.
     */
    private record Rights(String thread, boolean isFirst, long permitted) {
        private static final List<String> MACHINE =
                List.of(
                        "VM ",
                        "C1 ",
                        "C2 ",
                        "GC ",
                        "Signal Dispatch",
                        "Service Thread",
                        "Training replay",
                        "Monitor Deflati",
                        "Notification Th",
                        "Common-Cleaner",
                        "Reference Handl",
                        "Finalizer");

        boolean isOfVirtualMachine() {
            return isFirst || MACHINE.stream().anyMatch(thread::startsWith);
        }
    }

    private static List<Rights> rights(final long pid) throws IOException {
        final List<Rights> rights = new ArrayList<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (final Path thread : threads.toList()) {
                try {
                    rights.add(rights(thread, thread.endsWith(Long.toString(pid))));
                } catch (final IOException e) {
                    // It has ended, as threads of the compiler do; that is all that may be.
                    assertFalse(Files.exists(thread), e::toString);
                }
            }
        }
        return rights;
    }

    private static Rights rights(final Path thread, final boolean isFirst) throws IOException {
        final String permitted =
                Files.readAllLines(thread.resolve("status")).stream()
                        .filter(line -> line.startsWith("CapPrm:"))
                        .findFirst()
                        .orElseThrow();
        return new Rights(
                Files.readString(thread.resolve("comm")).strip(),
                isFirst,
                Long.parseUnsignedLong(permitted.substring(7).strip(), 16));
    }
}
