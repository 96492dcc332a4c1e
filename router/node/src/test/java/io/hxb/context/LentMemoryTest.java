package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LimitConfig;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantPlan;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.Memory;
import io.hxb.linux.MemoryFile;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.AttachMessage;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** Memory that applications lend the node: what it takes, who is charged, how it goes back. */
@Tag("system")
class LentMemoryTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int PAGE = 4096;
    private static final int SIZE_SEALS = SharedMemory.SEAL_SHRINK | SharedMemory.SEAL_GROW;

    @TempDir private Path directory;

    private final AttachMessage message = new AttachMessage();

    private Path socket() {
        return directory.resolve("node.sock");
    }

    private AttachServer serve(final TestNode node) throws IOException {
        return new AttachServer(node.manager, socket(), AttachAccess.ownUser()).start();
    }

    private static QuotaCounter memory(final TestNode node) {
        return node.manager
                .shares()
                .of(AttachAccess.ownUid(), TenantPlan.OPERATOR)
                .book(ResourceShare.MEMORY_BYTES);
    }

    @Test
    void shouldTakeNoMemoryThatCouldHarmIt() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                UnixSocket bad = UnixSocket.connect(socket());
                SharedMemory empty = SharedMemory.create("test", 2 * PAGE);
                SharedMemory loose = SharedMemory.create("test", 2 * PAGE)) {
            message.request(AttachMessage.HELLO);
            assertEquals("", exchange(bad));
            empty.seal(SIZE_SEALS);
            // when it is offered what could be cut, has holes, or is nothing of the kind
            final int event = EventFd.create();
            final int long0 = MemoryFile.create("test", 3 * PAGE);
            assertRefused("size is not sealed", offer(bad, loose.descriptor()));
            assertRefused("it has holes", offer(bad, empty.descriptor()));
            assertRefused("not a file in memory", offer(bad, event));
            assertRefused("12288 bytes instead of 8192", offer(bad, long0));
            assertRefused("no memory is lent with id 7", offer(bad, valid(), valid()));
            assertRefused("descriptors 0 arrived", offer(bad));
            // and what would be too much, or is lent twice
            lend(0, PAGE);
            assertRefused("ids of memory are", exchange(bad));
            lend(1, 0);
            assertRefused("1 byte to 2^40", exchange(bad));
            lend(1, Long.MAX_VALUE);
            assertRefused("1 byte to 2^40", exchange(bad));
            lend(1, PAGE);
            assertEquals("", exchange(bad));
            lend(1, PAGE);
            assertRefused("is lent already", exchange(bad));
            // then nothing was kept of it, and others are served
            tell(bad, 1);
            TestNode.await("all is given back", () -> memory(node).used() == 0);
            assertEquals("", offer(bad, valid()));
            sendAndReceive();
            assertEquals(0, server.refused());
            Descriptors.close(event);
            Descriptors.close(long0);
        }
    }

    private static int valid() throws IOException {
        return MemoryFile.create("test", 2 * PAGE);
    }

    private static void assertRefused(final String why, final String refusal) {
        assertTrue(refusal.contains(why), refusal);
    }

    private void lend(final int id, final long lengthBytes) {
        message.request(AttachMessage.LEND).argument(0, id).argument(1, lengthBytes);
    }

    /** Why a node does not take pieces of memory of two pages; takes the memory back. */
    private String offer(final UnixSocket connection, final int... pieces) throws IOException {
        lend(7, 2 * PAGE);
        assertEquals("", exchange(connection));
        message.request(AttachMessage.ADD_PIECES)
                .argument(0, 7)
                .argument(1, Math.max(1, pieces.length));
        final String refusal = exchange(connection, pieces);
        tell(connection, 7);
        return refusal;
    }

    private void tell(final UnixSocket connection, final int id) throws IOException {
        message.request(AttachMessage.TAKE_BACK).argument(0, id);
        connection.send(message.address(), AttachMessage.LENGTH_BYTES);
    }

    private String exchange(final UnixSocket connection, final int... pieces) throws IOException {
        connection.send(message.address(), AttachMessage.LENGTH_BYTES, pieces);
        final int length = connection.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
        assertEquals(AttachMessage.LENGTH_BYTES, length);
        connection.closeReceivedDescriptors();
        return message.isRefusal() ? message.text() : "";
    }

    private void sendAndReceive() throws IOException {
        try (PmDevice device = PmDevice.attach(socket());
                PmContext context = device.openContext(1);
                PmRegion region = device.openRegion(3 * AttachMessage.PIECE_BYTES + 5)) {
            final long last = region.lengthBytes() - 1;
            Memory.putByte(region.address() + last, 42);
            final int slot = context.claim(0, 1, 0);
            assertEquals(PmStatus.OK, context.sendFrom(slot, region, last, 1, 0));
            assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
            final PmMessage received = new PmMessage();
            assertEquals(PmStatus.OK, context.receive(received));
            assertEquals(42, Memory.getByte(received.address()));
            context.release(received);
        }
    }

    @Test
    void shouldReportWhichReleaseAnApplicationNeeds() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                UnixSocket old = UnixSocket.connect(socket())) {
            message.request(AttachMessage.HELLO);
            Memory.putShort(message.address() + 4, 1);
            final String refusal = exchange(old);
            assertRefused("version 1 of the attach protocol instead of 4", refusal);
            assertRefused("of one HXB release", refusal);
            assertEquals(0, node.manager.openContexts());
            TestNode.await("the connection is ended", () -> server.refused() == 1);
        }
    }

    @Test
    void shouldAgreeOnTheNewestVersionThatBothSpeak() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                UnixSocket newer = UnixSocket.connect(socket());
                UnixSocket older = UnixSocket.connect(socket());
                UnixSocket last = UnixSocket.connect(socket());
                UnixSocket oldest = UnixSocket.connect(socket());
                UnixSocket newest = UnixSocket.connect(socket())) {
            // when an application also speaks later versions, or offers none
            message.hello().argument(0, 7);
            assertGranted(4, newer);
            message.request(AttachMessage.HELLO);
            assertGranted(4, older);
            // when it speaks the last but one
            message.hello().argument(0, 3);
            assertGranted(3, last);
            // when it speaks the oldest that the node does
            message.hello().argument(0, 2);
            assertGranted(2, oldest);
            // when it speaks later ones only
            message.hello().argument(0, 7);
            Memory.putShort(message.address() + 4, 5);
            assertRefused("versions 5 to 7 of the attach protocol instead of 4", exchange(newest));
            // then the answer has a header that it understands
            assertEquals(5, Memory.getUnsignedShort(message.address() + 4));
            TestNode.await("one connection is ended", () -> server.refused() == 1);
        }
    }

    private void assertGranted(final int version, final UnixSocket application) throws Exception {
        assertEquals("", exchange(application));
        assertEquals(version, Memory.getUnsignedShort(message.address() + 4));
    }

    @Test
    void shouldLendAgainAtOnceWhatIsStillBeingGivenBack() throws Exception {
        final LimitConfig limits = LimitConfig.of(Map.of(ResourceShare.MEMORY_BYTES, 40L << 20));
        try (TestNode node = new TestNode(limits).start();
                AttachServer server = serve(node);
                PmDevice device = PmDevice.attach(socket())) {
            for (int i = 0; i < 5; i++) {
                device.openRegion(30L << 20).close();
            }
            try (PmRegion region = device.openRegion(30L << 20)) {
                final IOException refused =
                        assertThrows(IOException.class, () -> device.openRegion(20L << 20));
                assertRefused("limits.memoryBytes", refused.getMessage());
                assertEquals(30L << 20, memory(node).used());
                assertEquals(30L << 20, region.lengthBytes());
            }
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldGiveTheMemoryOfAKilledProcessBackPieceByPieceAndNotOnItsLoop() throws Exception {
        final ConcurrentLinkedQueue<Runnable> work = new ConcurrentLinkedQueue<>();
        try (TestNode node = new TestNode(new MemoryReclaimer(work::add)).start();
                AttachServer server = serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(1)) {
            // given a process that has lent 1 GiB, and sent all of it
            final Process holder = ChildProcess.start("lend", socket(), 5);
            final long lentBytes = mappedBytes();
            assertTrue(lentBytes >= ChildProcess.LENT_BYTES, "lent " + lentBytes);
            // when
            holder.destroyForcibly().waitFor();
            TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            TestNode.await("all is to be given back", () -> work.size() == 3);
            // then the loops have left it alone
            assertEquals(lentBytes, mappedBytes());
            // and every step is short
            int steps = 0;
            long bytes = lentBytes;
            for (Runnable step = work.poll(); step != null; step = work.poll()) {
                step.run();
                steps++;
                final long leftBytes = mappedBytes();
                assertTrue(bytes - leftBytes <= AttachMessage.PIECE_BYTES, "step " + steps);
                bytes = leftBytes;
            }
            assertEquals(0, bytes);
            assertTrue(steps > ChildProcess.LENT_BYTES / AttachMessage.PIECE_BYTES);
            assertEquals(0, memory(node).used());
            assertEquals(0, server.refused());
            assertEquals(1, context.contextId());
        }
    }

    /** Memory of other processes that is mapped here. */
    private static long mappedBytes() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.matches(".*memfd:hxb-(region|send|control).*"))
                    .mapToLong(LentMemoryTest::bytes)
                    .sum();
        }
    }

    private static long bytes(final String line) {
        final String[] ends = line.substring(0, line.indexOf(' ')).split("-", -1);
        return Long.parseUnsignedLong(ends[1], 16) - Long.parseUnsignedLong(ends[0], 16);
    }

    @Test
    void shouldNotBeChargedForWhatApplicationsLend() throws Exception {
        try (MemoryGroup group = MemoryGroup.make("hxb-lent-memory-test", 200L << 20)) {
            // given a node that may have 200 MB
            final Process node = ChildProcess.start("node", socket(), 0);
            try {
                group.add(node.pid());
                // when a process sends a region twice as long that it has never touched
                final Process holder = ChildProcess.start("send", socket(), 5);
                // then
                assertTrue(node.isAlive());
                holder.destroyForcibly().waitFor();
                sendAndReceive();
            } finally {
                node.destroyForcibly().waitFor();
            }
        }
    }
}
