package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

@Tag("unit")
class SharedMemoryTest {
    private static final int LENGTH_BYTES = 8192;

    @TempDir private Path directory;

    @Test
    void shouldBeWritableByNobodyElseOnceSealed() throws Exception {
        try (SharedMemory owner = SharedMemory.create("test", LENGTH_BYTES)) {
            // given
            owner.seal(SharedMemory.SEAL_FUTURE_WRITE | SharedMemory.SEAL_SHRINK);
            final int other = Descriptors.duplicate(owner.descriptor());
            // when
            final LinuxException refused =
                    assertThrows(
                            LinuxException.class,
                            () -> SharedMemory.mapReadWrite(other, LENGTH_BYTES).close());
            // then
            assertEquals(Errno.EPERM, refused.errno());
            assertTrue((owner.seals() & SharedMemory.SEAL_FUTURE_WRITE) != 0);
            assertThrows(LinuxException.class, owner::discard);
            try (SharedMemory reader = SharedMemory.mapReadOnly(other, LENGTH_BYTES)) {
                Memory.putLong(owner.address() + 4096, 42);
                assertEquals(42, Memory.getLong(reader.address() + 4096));
            }
        }
    }

    @Test
    void shouldReadAsZeroAfterItsPagesWereGivenBack() throws Exception {
        try (SharedMemory memory = SharedMemory.create("test", LENGTH_BYTES)) {
            Memory.putLong(memory.address(), 42);
            memory.seal(SharedMemory.SEAL_SHRINK | SharedMemory.SEAL_GROW);
            memory.discard();
            assertEquals(0, Memory.getLong(memory.address()));
        }
    }

    @Test
    void shouldPassMessagesAndDescriptorsBothWays() throws Exception {
        final Path path = directory.resolve("socket");
        try (UnixSocket listener = UnixSocket.listen(path);
                UnixSocket client = UnixSocket.connect(path);
                UnixSocket server = listener.accept();
                SharedMemory memory = SharedMemory.create("test", LENGTH_BYTES)) {
            // given
            Memory.putLong(memory.address(), 4711);
            final long scratch = memory.address() + 4096;
            // when
            assertEquals(UnixSocket.WOULD_BLOCK, server.receive(scratch, 64, false));
            assertEquals(8, client.send(memory.address(), 8, memory.descriptor()));
            // then
            assertEquals(8, server.receive(scratch, 64, true));
            assertEquals(4711, Memory.getLong(scratch));
            assertEquals(1, server.receivedDescriptors());
            try (SharedMemory mapped =
                    SharedMemory.mapReadOnly(server.receivedDescriptor(0), LENGTH_BYTES)) {
                assertEquals(4711, Memory.getLong(mapped.address()));
                assertEquals(3, server.send(scratch, 3, mapped.descriptor(), 0));
            }
            assertEquals(3, client.receive(scratch, 64, true));
            assertEquals(2, client.receivedDescriptors());
            client.closeReceivedDescriptors();
            assertEquals(ProcessHandle.current().pid(), server.peer().pid());
        }
    }

    @Test
    void shouldReportThatTheOtherEndIsGone() throws Exception {
        final Path path = directory.resolve("socket");
        try (UnixSocket listener = UnixSocket.listen(path);
                UnixSocket client = UnixSocket.connect(path);
                SharedMemory memory = SharedMemory.create("test", LENGTH_BYTES);
                PollSet poll = new PollSet(1)) {
            listener.accept().close();
            poll.add(client.descriptor());
            assertEquals(1, poll.await(1_000_000_000L));
            assertTrue((poll.ready(0) & PollSet.GONE) != 0);
            assertEquals(UnixSocket.CLOSED, client.receive(memory.address(), 8, true));
            assertEquals(UnixSocket.CLOSED, client.send(memory.address(), 8));
        }
    }

    @Test
    void shouldNeverBlockASignalEvenWhenTheOtherEndIsFull() throws Exception {
        final int[] pair = SignalSocket.pair();
        try (PollSet poll = new PollSet(1)) {
            poll.add(pair[1]);
            for (int i = 0; i < 5000; i++) {
                SignalSocket.signal(pair[0]);
            }
            assertEquals(1, poll.await(0));
            SignalSocket.drain(pair[1]);
            assertEquals(0, poll.await(0));
            SignalSocket.signal(pair[0]);
            assertEquals(1, poll.await(0));
        } finally {
            Descriptors.close(pair[0]);
            SignalSocket.signal(pair[1]);
            Descriptors.close(pair[1]);
        }
    }
}
