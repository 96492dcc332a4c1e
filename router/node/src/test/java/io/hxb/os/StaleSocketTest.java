package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

@Tag("unit")
class StaleSocketTest {
    @TempDir private Path folder;

    @Test
    void shouldRemoveASocketOnWhichNobodyListens() throws IOException {
        final Path socket = folder.resolve("socket");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            assertFalse(StaleSocket.remove(socket));
            assertTrue(Files.exists(socket));
        }
        assertTrue(StaleSocket.remove(socket));
        assertFalse(Files.exists(socket));
        assertTrue(StaleSocket.remove(socket), "nothing is there");
    }

    @Test
    void shouldKeepWhatIsNoSocket() throws IOException {
        final Path file = Files.writeString(folder.resolve("file"), "text");
        final Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThrows(IOException.class, () -> StaleSocket.remove(file));
        assertThrows(IOException.class, () -> StaleSocket.remove(link));
        assertTrue(Files.exists(link));
    }
}
