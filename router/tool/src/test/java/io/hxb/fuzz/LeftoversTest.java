package io.hxb.fuzz;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

@Tag("unit")
class LeftoversTest {
    private static final long LIMIT_NS = 10_000_000_000L;

    private static int newDescriptor() {
        try {
            return EventFd.create();
        } catch (final LinuxException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldFindASingleDescriptorThatARunLeaves() {
        // given
        final Leftovers leftovers = new Leftovers(0);
        leftovers.check();
        // when
        final int left = newDescriptor();
        try {
            // then
            final AssertionError error = assertThrows(AssertionError.class, leftovers::check);
            assertTrue(error.getMessage().contains("eventfd]=1"), error.getMessage());
        } finally {
            Descriptors.close(left);
        }
        leftovers.check();
    }

    @Test
    void shouldFindAMappingWhoseDescriptorIsClosed() throws LinuxException {
        // given
        final Leftovers leftovers = new Leftovers(0);
        // when
        try (SharedMemory memory = SharedMemory.create("hxb-left", 4096)) {
            // then
            final AssertionError error = assertThrows(AssertionError.class, leftovers::check);
            assertTrue(error.getMessage().contains("mapping of"), error.getMessage());
            assertTrue(memory.lengthBytes() > 0);
        }
        leftovers.check();
    }

    @Test
    void shouldFindAFileOfATarget() throws IOException {
        // given
        final Leftovers leftovers = new Leftovers(0);
        final Path file = Files.createTempFile("hxb-fuzz", "");
        try {
            // when
            final FileChannel channel = FileChannel.open(file);
            // then
            assertThrows(AssertionError.class, leftovers::check);
            channel.close();
            leftovers.check();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void shouldNotBlameARunForWhatAnotherTargetKeepsOpen() {
        // given
        final Leftovers leftovers = new Leftovers(0);
        final int[] kept = new int[1];
        // when
        leftovers.prepare(() -> kept[0] = newDescriptor());
        // then
        try {
            leftovers.check();
            final int left = newDescriptor();
            assertThrows(AssertionError.class, leftovers::check);
            Descriptors.close(left);
        } finally {
            Descriptors.close(kept[0]);
        }
    }

    @Test
    void shouldNotAllowALeakInPlaceOfWhatWasClosed() {
        // given
        final int open = newDescriptor();
        final Leftovers leftovers = new Leftovers(0);
        Descriptors.close(open);
        leftovers.check();
        // when
        final int left = newDescriptor();
        // then
        assertThrows(AssertionError.class, leftovers::check);
        Descriptors.close(left);
    }

    @Test
    void shouldWaitForThreadsThatCloseWhatARunHasLeft() throws InterruptedException {
        // given
        final Leftovers leftovers = new Leftovers(LIMIT_NS);
        final int left = newDescriptor();
        final Thread closer = new Thread(() -> Descriptors.close(left));
        // when
        closer.start();
        // then
        leftovers.check();
        closer.join();
    }
}
