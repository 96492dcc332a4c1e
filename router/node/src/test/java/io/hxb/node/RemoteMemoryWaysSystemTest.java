package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;
import io.hxb.session.KeyFile;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Remote memory of attached programs with keys, with several loops, and of the greatest length. */
@Tag("system")
@Timeout(120)
class RemoteMemoryWaysSystemTest {
    private static final long TIMEOUT_NS = 60_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(16);
    private static final int LENGTH = 8 << 20;
    private static final long GREATEST = 1L << 30;
    private static final int TOLD = 100;

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private ClusterConfig config;

    private <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (final AutoCloseable resource : open.reversed()) {
            resource.close();
        }
    }

    private void start(final Shape shape, final int loops, final SecurityConfig security)
            throws IOException {
        config =
                ClusterConfig.of(
                                "ways",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), 2, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()))
                        .withContext(new ContextConfig(16, 0))
                        .withSecurity(security);
        for (int id = 0; id < shape.nodeCount(); id++) {
            final LoopConfig loop =
                    new LoopConfig(loops, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
            final NodeThreads threads = keep(NodeThreads.start(loop));
            nodes.add(
                    keep(
                            Node.start(
                                    new NodeOptions(
                                            config, id, threads, true, false, link -> link))));
        }
    }

    private SecurityConfig security(final SecurityConfig.Mode mode) throws IOException {
        if (mode == SecurityConfig.Mode.NONE) {
            return SecurityConfig.DEFAULT;
        }
        final Path key = folder.resolve("key");
        KeyFile.generate(key);
        return new SecurityConfig(mode, List.of(key.toString()));
    }

    private static long pattern(final long at) {
        return at * 0x9E37_79B9_7F4A_7C15L;
    }

    private static void fill(final PmRegion region) {
        for (long at = 0; at < region.lengthBytes(); at += Long.BYTES) {
            Memory.putLong(region.address() + at, pattern(at));
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTHENTICATE,1", "ENCRYPT,2", "NONE,3"})
    void shouldPutGetAndChangeThroughARelay(final SecurityConfig.Mode mode, final int loops)
            throws Exception {
        // given
        start(Shape.of(2, 2), loops, security(mode));
        final PmDevice device = keep(PmDevice.attach(config.ownSocketPath(0)));
        final PmDevice other = keep(PmDevice.attach(config.ownSocketPath(3)));
        final PmRegion shared = other.openWritableRegion(LENGTH);
        final List<PmRemoteMemory> here = new ArrayList<>();
        final List<PmRemoteMemory> there = new ArrayList<>();
        // Contexts are dealt to the loops in turns.
        for (int context = 1; context <= loops; context++) {
            here.add(PmRemoteMemory.open(device.openContext(context)));
            there.add(PmRemoteMemory.open(other.openContext(context)));
        }
        for (int context = 1; context <= loops; context++) {
            final PmRegion local = device.openWritableRegion(LENGTH);
            final PmRegion back = device.openWritableRegion(LENGTH);
            fill(local);
            shared.segment().fill((byte) 0);
            final PmRemoteMemory end = here.get(context - 1);
            final PmRemoteRegion remote =
                    new PmRemoteRegion(
                            3, context, there.get(context - 1).share(shared, PmAccess.ALL));
            // when
            assertTrue(end.put(local, 0, remote, 0, LENGTH) >= 0);
            assertTrue(end.get(remote, 0, back, 0, LENGTH) >= 0);
            assertTrue(end.fence(3, context) >= 0);
            assertTrue(end.fetchAndAdd(remote, 8, 1) >= 0);
            for (int i = 0; i < TOLD; i++) {
                assertTrue(end.putAndNotify(local, 0, remote, 16, 3_000, i) >= 0);
            }
            // then
            assertEquals(PmStatus.OK, end.finish(TIMEOUT_NS));
            assertEquals(-1, local.segment().mismatch(back.segment()));
            assertEquals(pattern(8) + 1, Memory.getLong(shared.address() + 8));
            final PmNotification notification = new PmNotification();
            for (int i = 0; i < TOLD; i++) {
                assertEquals(PmStatus.OK, there.get(context - 1).await(TIMEOUT_NS));
                assertEquals(PmStatus.OK, there.get(context - 1).poll(notification));
                assertEquals(i, notification.tag());
            }
        }
        for (final Node node : nodes) {
            assertEquals(0, node.counters().sum(CounterType.FORWARD_DROPPED_UNSEALED_FRAMES));
            assertEquals(0, node.counters().sum(CounterType.FORWARD_DROPPED_SEAL_FRAMES));
            assertEquals(0, node.counters().sum(CounterType.REMOTE_MALFORMED_RECORDS));
        }
    }

    @Tag("outside")
    @Test
    void shouldPutAndGetTheGreatestLength() throws Exception {
        // given
        start(Shape.of(2), 1, SecurityConfig.DEFAULT);
        final PmDevice device = keep(PmDevice.attach(config.ownSocketPath(0)));
        final PmDevice other = keep(PmDevice.attach(config.ownSocketPath(1)));
        final PmRemoteMemory here = PmRemoteMemory.open(device.openContext(1));
        final PmRemoteMemory there = PmRemoteMemory.open(other.openContext(1));
        final PmRegion local = device.openWritableRegion(GREATEST);
        final PmRegion shared = other.openWritableRegion(GREATEST);
        final PmRemoteRegion remote =
                new PmRemoteRegion(1, 1, there.share(shared, PmAccess.READ | PmAccess.WRITE));
        fill(local);
        // when
        assertTrue(here.put(local, 0, remote, 0, GREATEST) >= 0);
        assertEquals(PmStatus.OK, here.finish(TIMEOUT_NS));
        // then
        assertEquals(-1, local.segment().mismatch(shared.segment()));
        // when
        local.segment().fill((byte) 0);
        assertTrue(here.get(remote, 0, local, 0, GREATEST) >= 0);
        assertEquals(PmStatus.OK, here.finish(TIMEOUT_NS));
        // then
        assertEquals(-1, local.segment().mismatch(shared.segment()));
        assertEquals(pattern(GREATEST - 8), Memory.getLong(local.address() + GREATEST - 8));
    }
}
