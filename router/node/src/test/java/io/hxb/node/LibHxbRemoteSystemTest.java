package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmOutcome;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;
import io.hxb.testing.Seeds;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Remote memory of programs in C, with each other and with Java, over real nodes and UDP. */
@Tag("system")
class LibHxbRemoteSystemTest {
    private static final long TIMEOUT_NS = 20_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int REGION_BYTES = 1 << 20;

    /** As remote-use in remote.c prints at its end. */
    private static final long LAST_TAG = 4711;

    @TempDir private Path folder;

    private UdpNodes nodes;
    private LibHxb programs;
    private PmDevice device;
    private PmRemoteMemory memory;

    @BeforeEach
    void start() throws Exception {
        LibHxb.build(Build.CHECKED, "scenario");
        nodes = UdpNodes.start("rma-c", Shape.of(2), folder, BASE_PORT);
        programs = nodes.keep(new LibHxb());
    }

    @AfterEach
    void closeAll() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
    }

    private Process serve() throws Exception {
        return programs.start(Build.CHECKED, "remote-serve", nodes.socket(1), "2");
    }

    private void attachJavaTo(final int node, final int contextId) throws Exception {
        device = nodes.keep(PmDevice.attach(Path.of(nodes.socket(node))));
        final PmContext context = device.openContext(contextId);
        memory = PmRemoteMemory.open(context);
    }

    @Tag("search")
    @Test
    void shouldPutGetAndChangeFromCToC() throws Exception {
        for (int seed = 0; seed < Seeds.TIMES; seed++) {
            final Process serve = serve();
            final String key = LibHxb.line(serve);
            programs.run(
                    Build.CHECKED,
                    "remote-use",
                    nodes.socket(0),
                    "1",
                    "2",
                    key,
                    Integer.toString(seed));
            assertEquals(List.of(Long.toString(LAST_TAG)), LibHxb.lines(serve));
        }
    }

    /** ThreadSanitizer needs fixed addresses where the kernel makes them very random. */
    @Tag("outside")
    @Test
    void shouldHaveNoRace() throws Exception {
        LibHxb.assumePresent("setarch", "util-linux");
        LibHxb.build(Build.THREADS, "scenario");
        final String program = Build.THREADS.file("scenario").toString();
        final Process serve =
                programs.start("setarch", "-R", program, "remote-serve", nodes.socket(1), "2");
        final String key = LibHxb.line(serve);
        final Process use =
                programs.start(
                        "setarch", "-R", program, "remote-use", nodes.socket(0), "1", "2", key);
        assertEquals(List.of(), LibHxb.lines(use));
        assertEquals(List.of(Long.toString(LAST_TAG)), LibHxb.lines(serve));
    }

    @Test
    void shouldWorkInTheMemoryOfJava() throws Exception {
        // given
        attachJavaTo(1, 2);
        final PmRegion shared = device.openWritableRegion(REGION_BYTES);
        final String key = Long.toHexString(memory.share(shared, PmAccess.ALL));
        // when
        programs.run(Build.CHECKED, "remote-use", nodes.socket(0), "1", "2", key);
        // then
        final PmNotification notification = new PmNotification();
        assertEquals(PmStatus.OK, memory.await(TIMEOUT_NS));
        assertEquals(PmStatus.OK, memory.poll(notification));
        assertEquals(LAST_TAG, notification.tag());
        assertEquals(0, notification.node());
        assertEquals(1, notification.context());
    }

    @Test
    void shouldShareItsMemoryWithJava() throws Exception {
        // given
        attachJavaTo(0, 1);
        final Process serve = serve();
        final PmRemoteRegion remote =
                new PmRemoteRegion(1, 2, Long.parseUnsignedLong(LibHxb.line(serve), 16));
        final PmRegion local = device.openWritableRegion(REGION_BYTES);
        for (long at = 0; at < REGION_BYTES; at += Long.BYTES) {
            Memory.putLong(local.address() + at, at * at);
        }
        // when
        final int half = REGION_BYTES / 2;
        assertTrue(memory.put(local, half, remote, 0, half) >= 0);
        assertTrue(memory.get(remote, 0, local, 0, half) >= 0);
        assertEquals(PmStatus.OK, memory.finish(TIMEOUT_NS));
        // then
        assertEquals(
                -1, local.segment().asSlice(0, half).mismatch(local.segment().asSlice(half, half)));
        assertTrue(memory.fetchAndAdd(remote, half, 5) >= 0);
        assertTrue(memory.compareAndSwap(remote, half, 5, -1) >= 0);
        final PmOutcome outcome = new PmOutcome();
        for (final long expected : new long[] {0, 5}) {
            assertEquals(PmStatus.OK, memory.await(TIMEOUT_NS));
            assertEquals(PmStatus.OK, memory.poll(outcome));
            assertEquals(expected, outcome.value());
        }
        assertTrue(memory.putAndNotify(local, 0, remote, 8, 24, -1) >= 0);
        assertEquals(PmStatus.OK, memory.finish(TIMEOUT_NS));
        assertEquals(List.of(Long.toUnsignedString(-1)), LibHxb.lines(serve));
    }

    @Test
    void shouldRefuseWhatIsNotValidAndChangeNothing() throws Exception {
        assertEquals(List.of(), programs.run(Build.CHECKED, "remote-misuse", nodes.socket(0)));
    }

    /** In one thread, of operations and of groups, by another one. */
    @Test
    void shouldEndWaitsFromOutside() throws Exception {
        assertEquals(List.of(), programs.run(Build.CHECKED, "more-waits-ended", nodes.socket(0)));
    }

    @Test
    void shouldEndOperationsWhenTheOtherProgramIsKilled() throws Exception {
        for (int i = 0; i < 3; i++) {
            final Process serve = serve();
            final String key = LibHxb.line(serve);
            final Process outlive =
                    programs.startReady(
                            Build.CHECKED, "remote-outlive", nodes.socket(0), "1", "2", key);
            serve.destroyForcibly().waitFor();
            final String status = LibHxb.lines(outlive).getFirst();
            assertTrue(
                    Set.of("HXB_NO_SUCH_CONTEXT", "HXB_PEER_RESTARTED").contains(status), status);
        }
    }

    @Test
    void shouldServeOthersWhenAProgramIsKilledAmidItsPuts() throws Exception {
        final Process serve = serve();
        final String key = LibHxb.line(serve);
        for (int i = 0; i < 3; i++) {
            programs.startReady(Build.CHECKED, "remote-outlive", nodes.socket(0), "1", "2", key)
                    .destroyForcibly()
                    .waitFor();
        }
        attachJavaTo(0, 3);
        final PmRegion local = device.openWritableRegion(REGION_BYTES);
        final PmRemoteRegion remote = new PmRemoteRegion(1, 2, Long.parseUnsignedLong(key, 16));
        assertTrue(memory.putAndNotify(local, 0, remote, 8, 24, 1) >= 0);
        assertEquals(PmStatus.OK, memory.finish(TIMEOUT_NS));
        assertEquals(List.of("1"), LibHxb.lines(serve));
    }
}
