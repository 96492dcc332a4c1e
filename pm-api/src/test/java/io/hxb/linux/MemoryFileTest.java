package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class MemoryFileTest {
    private static final int LENGTH_BYTES = 64 << 10;

    private final List<Integer> descriptors = new ArrayList<>();

    @AfterEach
    void close() {
        descriptors.forEach(Descriptors::close);
    }

    private int file() throws LinuxException {
        descriptors.add(MemoryFile.create("test", LENGTH_BYTES));
        return descriptors.getLast();
    }

    private int other(final int seals) throws LinuxException {
        try (SharedMemory memory = SharedMemory.create("test", LENGTH_BYTES)) {
            memory.seal(seals);
            descriptors.add(Descriptors.duplicate(memory.descriptor()));
        }
        return descriptors.getLast();
    }

    @Test
    void shouldHaveAllItsPagesAndKeepThem() throws Exception {
        // given
        final int fd = file();
        try (AddressRange range = AddressRange.reserve(LENGTH_BYTES)) {
            range.mapShared(0, LENGTH_BYTES, fd, true);
            // when
            assertEquals("", MemoryFile.problem(fd, LENGTH_BYTES));
            assertEquals("", MemoryFile.sealPages(fd, LENGTH_BYTES));
            // then
            try (SharedMemory view = SharedMemory.mapReadOnly(duplicate(fd), LENGTH_BYTES)) {
                Memory.putLong(range.address() + 4096, 42);
                assertEquals(42, Memory.getLong(view.address() + 4096));
                final LinuxException refused = assertThrows(LinuxException.class, view::discard);
                assertEquals(Errno.EPERM, refused.errno());
            }
            final int copy = duplicate(fd);
            descriptors.add(copy);
            assertThrows(LinuxException.class, () -> SharedMemory.mapReadWrite(copy, LENGTH_BYTES));
        }
    }

    private static int duplicate(final int fd) throws LinuxException {
        return Descriptors.duplicate(fd);
    }

    @Test
    void shouldReportWhatIsWrongWithWhatOthersHaveMade() throws Exception {
        assertProblem("is not a file in memory", EventFd.create(), LENGTH_BYTES);
        assertProblem("is not a file in memory", -1, LENGTH_BYTES);
        assertProblem("size is not sealed", other(SharedMemory.SEAL_GROW), LENGTH_BYTES);
        final int sized = other(SharedMemory.SEAL_GROW | SharedMemory.SEAL_SHRINK);
        assertProblem("65536 bytes instead of 4096", sized, 4096);
        assertEquals("", MemoryFile.problem(sized, LENGTH_BYTES));
        final String holes = MemoryFile.sealPages(sized, LENGTH_BYTES);
        assertTrue(holes.contains("it has holes: 0 of its 65536 bytes"), holes);
        final int kept =
                other(SharedMemory.SEAL_GROW | SharedMemory.SEAL_SHRINK | SharedMemory.SEAL_SEALS);
        final String unsealed = MemoryFile.sealPages(kept, LENGTH_BYTES);
        assertTrue(unsealed.contains("pages cannot be sealed"), unsealed);
    }

    private void assertProblem(final String problem, final int fd, final long lengthBytes) {
        final String found = MemoryFile.problem(fd, lengthBytes);
        assertTrue(found.contains(problem), found);
    }

    @Test
    void shouldReadZerosWhereMemoryWasTakenAway() throws Exception {
        try (AddressRange range = AddressRange.reserve(2 * LENGTH_BYTES)) {
            // given
            assertEquals(0, Memory.getLong(range.address()));
            range.mapShared(LENGTH_BYTES, LENGTH_BYTES, file(), true);
            Memory.putLong(range.address() + LENGTH_BYTES, 42);
            // when
            range.clear(LENGTH_BYTES, LENGTH_BYTES);
            // then
            assertEquals(0, Memory.getLong(range.address() + LENGTH_BYTES));
            assertThrows(IllegalArgumentException.class, () -> range.clear(4096, 2 * LENGTH_BYTES));
            assertThrows(IllegalArgumentException.class, () -> range.clear(100, 4096));
        }
    }
}
