package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.session.CaptureKeys;
import io.hxb.session.SessionsFile;
import io.hxb.testing.TestPorts;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb key export} and {@code hxb capture --keys} with two nodes that encrypt. */
@Tag("system")
@Timeout(60)
class KeyExportSystemTest {
    private static final String SECRET = "what nobody else may read";
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int NOBODY = 65_534;

    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();
    private ClusterConfig config;
    private String file;

    @BeforeEach
    void start() throws Exception {
        final Path key = folder.resolve("key");
        assertEquals(ExitStatus.OK, HxbOutput.of("key", "generate", key.toString()).status());
        final Path yaml =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        """
                        name: sealed
                        shape: 2
                        backend: udp
                        links: {x: 1}
                        udp: {basePort: %d}
                        security: {mode: encrypt, keys: [%s]}
                        observe: {listen: none}
                        attach: {directory: %s, countersDirectory: %s}
                        """
                                .formatted(TestPorts.take(4), key, folder, folder));
        file = yaml.toString();
        config = ClusterConfigYaml.read(yaml);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (final AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private PmContext[] startNodes() throws IOException {
        final NodeThreads threads =
                NodeThreads.start(new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        open.add(threads);
        final PmContext[] contexts = new PmContext[2];
        for (int id = 0; id < 2; id++) {
            open.add(Node.start(new NodeOptions(config, id, threads, true, true, link -> link)));
        }
        for (int id = 0; id < 2; id++) {
            final PmDevice device = PmDevice.attach(config.socketPath(id));
            open.add(device);
            contexts[id] = device.openContext(1);
            open.add(contexts[id]);
        }
        return contexts;
    }

    private static void exchange(final PmContext from, final PmContext to) {
        final byte[] secret = SECRET.getBytes(StandardCharsets.US_ASCII);
        assertEquals(PmStatus.OK, from.send(1, 1, secret, 0, 20 * SECOND_NS));
        final PmMessage message = new PmMessage();
        assertEquals(PmStatus.OK, to.receive(message, 20 * SECOND_NS));
        to.release(message);
    }

    private HxbOutput export(final Path to) {
        return HxbOutput.of(
                "key",
                "export",
                "--for-capture",
                "--config",
                file,
                "--node",
                "0",
                to.toString(),
                "--json");
    }

    // It is written when the session begins, or up to a second later.
    private void awaitSession() throws IOException {
        final Path sessions = SessionsFile.beside(config.countersPath(0));
        while (SessionsFile.read(sessions).isEmpty()) {
            LockSupport.parkNanos(5_000_000);
        }
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(sessions)));
    }

    @Test
    void shouldExportKeysOfPresentSessionsThatOpenWhatIsCaptured() throws Exception {
        // given
        assumeTrue(Privileges.isRoot(), "skipped: exporting keys and capturing need root");
        final Path keys = folder.resolve("trace.keys");
        final HxbOutput none = export(keys);
        assertEquals(ExitStatus.FAILED, none.status());
        assertTrue(none.errors().contains("no node of cluster sealed runs here"), none::errors);
        final PmContext[] contexts = startNodes();
        exchange(contexts[0], contexts[1]);
        awaitSession();
        // when
        final HxbOutput exported = export(keys);
        // then
        assertEquals(ExitStatus.OK, exported.status(), exported::errors);
        final Map<?, ?> report = Json.parse(exported.text().strip(), Map.class, "export");
        assertEquals(1, report.get("sessions"), report::toString);
        assertTrue(report.get("warning").toString().contains("delete it"), report::toString);
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)));
        assertEquals(1, CaptureKeys.read(keys).entries().size());
        final byte[] content = Files.readAllBytes(keys);
        final HxbOutput again = export(keys);
        assertEquals(ExitStatus.USAGE, again.status());
        assertTrue(again.errors().contains("keys never overwrite one"), again::errors);
        assertArrayEquals(content, Files.readAllBytes(keys));
        // when, then
        assertFalse(capture(contexts, "sealed").contains(SECRET), "it was not encrypted");
        final String opened = capture(contexts, "opened", "--keys", keys.toString());
        assertTrue(opened.contains(SECRET), "it was not opened");
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(folder.resolve("opened.pcapng"))));
        assertTrue(opened.contains("HXB: opened by the keys of session "), "no comment");
    }

    /** What a capture of some frames with data has, while messages are exchanged. */
    private String capture(final PmContext[] contexts, final String name, final String... options)
            throws Exception {
        final AtomicBoolean isOver = new AtomicBoolean();
        final Thread sender =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!isOver.get()) {
                                        exchange(contexts[0], contexts[1]);
                                    }
                                });
        final Path to = folder.resolve(name + ".pcapng");
        final List<String> words = new ArrayList<>(List.of("capture", "--config", file, "0"));
        words.addAll(List.of("x.0", "--filter", "type data", "--count", "20"));
        words.addAll(List.of("--seconds", "30", "--json", "--write", to.toString()));
        words.addAll(Arrays.asList(options));
        final HxbOutput captured = HxbOutput.of(words.toArray(String[]::new));
        isOver.set(true);
        sender.join();
        assertEquals(ExitStatus.OK, captured.status(), captured::errors);
        return Files.readString(to, StandardCharsets.ISO_8859_1);
    }

    @Test
    void shouldRefuseEverybodyButRoot() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        final Path keys = folder.resolve("of-others.keys");
        // May read everything, for the class path may be in root's home.
        final List<String> prefix =
                List.of(
                        "setpriv",
                        "--reuid=" + NOBODY,
                        "--regid=" + NOBODY,
                        "--clear-groups",
                        "--inh-caps=-all,+dac_read_search",
                        "--ambient-caps=-all,+dac_read_search",
                        "--bounding-set=-all,+dac_read_search");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        // when
        try (HxbProcess refused =
                HxbProcess.start(
                        folder,
                        prefix,
                        "key",
                        "export",
                        "--for-capture",
                        "--config",
                        file,
                        keys.toString())) {
            // then
            assertEquals(ExitStatus.FAILED, refused.status(), refused::output);
            assertTrue(
                    refused.errors().contains("for root alone: run it as root"), refused::errors);
            assertFalse(Files.exists(keys));
        }
    }
}
