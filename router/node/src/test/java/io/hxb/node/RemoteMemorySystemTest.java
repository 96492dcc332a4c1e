package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmOutcome;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Remote memory of attached programs over real nodes and UDP. */
@Tag("system")
class RemoteMemorySystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int CONTEXT = 3;
    private static final int LENGTH = 32 << 20;

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final PmOutcome outcome = new PmOutcome();
    private ClusterConfig config;
    private PmDevice device;
    private PmContext context;
    private PmRemoteMemory here;
    private PmRegion local;

    @BeforeEach
    void start() throws IOException {
        config =
                ClusterConfig.of("rma", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()))
                        .withContext(new ContextConfig(16, 0));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < 2; id++) {
            nodes.add(
                    keep(
                            Node.start(
                                    new NodeOptions(
                                            config, id, threads, true, false, link -> link))));
        }
        device = keep(PmDevice.attach(config.ownSocketPath(0)));
        context = device.openContext(CONTEXT, PmContextOptions.DEFAULT.withPeerWaitNs(SECOND / 10));
        here = PmRemoteMemory.open(context);
        local = device.openWritableRegion(LENGTH);
        final Random random = new Random(3);
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            Memory.putLong(local.address() + at, random.nextLong());
        }
    }

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

    @Test
    void shouldPutAndGetWhileTheOtherProgramSleeps() throws Exception {
        // given
        final PmDevice other = keep(PmDevice.attach(config.ownSocketPath(1)));
        final PmRemoteMemory there = PmRemoteMemory.open(other.openContext(CONTEXT));
        final PmRegion shared = other.openWritableRegion(LENGTH);
        final PmRemoteRegion remote =
                new PmRemoteRegion(1, CONTEXT, there.share(shared, PmAccess.ALL));
        final PmRegion back = device.openWritableRegion(LENGTH);
        // when
        here.put(local, 0, remote, 0, LENGTH);
        here.get(remote, 0, back, 0, LENGTH);
        here.fence(1, CONTEXT);
        here.fetchAndAdd(remote, 0, 1);
        // then
        assertEquals(PmStatus.OK, here.finish(60 * SECOND));
        assertEquals(-1, local.segment().mismatch(back.segment()));
        assertEquals(
                Memory.getLong(local.address()) + 1, Memory.getLong(shared.address()), "added");
        there.revoke(remote.key());
        here.put(local, 0, remote, 0, 8);
        assertEquals(PmStatus.BAD_KEY, here.finish(60 * SECOND));
        awaitCount(CounterType.REMOTE_PERFORMED_OPERATIONS, 3);
        awaitCount(CounterType.REMOTE_REFUSED_REQUESTS, 1);
        awaitCount(CounterType.REMOTE_WRITTEN_BYTES, LENGTH);
        awaitCount(CounterType.REMOTE_READ_BYTES, LENGTH);
        awaitCount(CounterType.REMOTE_MALFORMED_RECORDS, 0);
    }

    // Nodes publish what they count from time to time.
    private void awaitCount(final CounterType type, final long value) {
        TestNamespaces.await(
                () -> type + " is " + value + ", not " + nodes.get(1).counters().sum(type),
                () -> nodes.get(1).counters().sum(type) == value);
    }

    @Test
    void shouldWakeThreadsThatWaitForANotification() throws Exception {
        // given
        final PmDevice other = keep(PmDevice.attach(config.ownSocketPath(1)));
        final PmRemoteMemory there = PmRemoteMemory.open(other.openContext(CONTEXT));
        final PmRegion shared = other.openWritableRegion(LENGTH);
        final PmRemoteRegion remote =
                new PmRemoteRegion(1, CONTEXT, there.share(shared, PmAccess.WRITE));
        final PmNotification notification = new PmNotification();
        for (int i = 0; i < 200; i++) {
            // when
            here.putAndNotify(local, i, remote, 2L * i, 100_000, i);
            // then
            assertEquals(PmStatus.OK, there.await(60 * SECOND));
            assertEquals(PmStatus.OK, there.poll(notification));
            assertEquals(i, notification.tag());
            assertEquals(2L * i, notification.offset());
            assertEquals(
                    -1,
                    local.segment()
                            .asSlice(i, 100_000)
                            .mismatch(shared.segment().asSlice(2L * i, 100_000)));
            assertEquals(PmStatus.OK, here.await(60 * SECOND));
            assertEquals(PmStatus.OK, here.poll(outcome));
            assertEquals(PmStatus.OK, outcome.status());
        }
    }

    private int takeEvents() {
        final PmEvent event = new PmEvent();
        int status = PmStatus.OK;
        while (status == PmStatus.OK) {
            status = context.pollEvent(event);
        }
        return status;
    }

    private PmRemoteRegion hear() {
        final PmMessage message = new PmMessage();
        int status = PmStatus.EVENT;
        while (status == PmStatus.EVENT) {
            // The program before this one has ended.
            assertEquals(PmStatus.EMPTY, takeEvents());
            status = context.receive(message, 60 * SECOND);
        }
        assertEquals(PmStatus.OK, status);
        final PmRemoteRegion remote =
                new PmRemoteRegion(1, RemoteProcess.CONTEXT, message.buffer().getLong(0));
        context.release(message);
        return remote;
    }

    @Test
    void shouldEndOperationsOnMemoryOfAProgramThatIsKilled() throws Exception {
        // given
        final Process process = RemoteProcess.start(config.ownSocketPath(1), CONTEXT);
        try {
            final PmRemoteRegion remote = hear();
            here.put(local, 0, remote, 0, RemoteProcess.REGION_BYTES);
            assertEquals(PmStatus.OK, here.finish(60 * SECOND));
            for (int i = 0; i < 40; i++) {
                here.get(remote, 0, local, 0, RemoteProcess.REGION_BYTES);
            }
            assertEquals(PmStatus.OK, here.await(60 * SECOND), "the first is done");
            // when
            process.destroyForcibly().waitFor();
            // then
            final int status = here.finish(60 * SECOND);
            assertTrue(
                    status == PmStatus.PEER_RESTARTED
                            || status == PmStatus.NO_SUCH_CONTEXT
                            || status == PmStatus.BAD_KEY,
                    PmStatus.name(status));
            assertEquals(0, here.unfinished());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldStayUsableWhenAProgramIsKilledWhileItWritesHere() throws Exception {
        // given
        final PmRemoteRegion mine =
                new PmRemoteRegion(0, CONTEXT, here.share(local, PmAccess.WRITE));
        for (int i = 0; i < 2; i++) {
            final Process process = RemoteProcess.start(config.ownSocketPath(1), CONTEXT);
            try {
                hear();
                context.send(1, RemoteProcess.CONTEXT, RemoteProcess.bytes(mine.key()), 0, SECOND);
                final PmNotification notification = new PmNotification();
                for (int tellings = 0; tellings < 3; tellings++) {
                    assertEquals(PmStatus.OK, here.await(60 * SECOND));
                    takeEvents();
                    assertEquals(PmStatus.OK, here.poll(notification));
                    assertEquals(0, Memory.getLong(local.address()), "its region is empty");
                }
            } finally {
                // when
                process.destroyForcibly().waitFor();
            }
            // then
            final PmNotification left = new PmNotification();
            while (here.poll(left) == PmStatus.OK) {
                assertEquals(RemoteProcess.CONTEXT, left.context());
            }
        }
        here.revoke(mine.key());
        local.segment().fill((byte) 1);
        here.put(local, 0, new PmRemoteRegion(0, CONTEXT, here.share(local, PmAccess.ALL)), 64, 64);
        assertEquals(PmStatus.OK, here.finish(60 * SECOND));
    }
}
