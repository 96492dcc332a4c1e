package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

@Tag("unit")
class PathFileTest {
    @TempDir private Path folder;

    @Test
    void shouldReadWhatItHasWrittenInPlaceOfWhatWasThere() throws IOException {
        final Path file = folder.resolve("paths");
        final PathFile store = new PathFile(file);
        assertEquals(Map.of(), store.load());
        store.save(Map.of(0x0200_0000_0001L, 12, 0xFEDC_BA98_7654L, 4094));
        assertEquals(Map.of(0x0200_0000_0001L, 12, 0xFEDC_BA98_7654L, 4094), store.load());
        store.save(Map.of());
        assertEquals(Map.of(), new PathFile(file).load());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList(), "nothing else is left");
        }
    }

    @Test
    void shouldRefuseWhatItHasNotWritten() throws IOException {
        final Path file = folder.resolve("paths");
        for (final String text :
                List.of(
                        "",
                        "hxb-paths-2\n",
                        "hxb-paths-1\n02:00:00:00:00:01\n",
                        "hxb-paths-1\n02:00:00:00:00:01 0\n",
                        "hxb-paths-1\n02:00:00:00:00:01 12 13\n",
                        "hxb-paths-1\n02:00:00:00:00 12\n",
                        "hxb-paths-1\n\n")) {
            Files.writeString(file, text);
            final IOException e =
                    assertThrows(IOException.class, () -> new PathFile(file).load(), text);
            assertTrue(e.getMessage().contains("remove the file"), e.getMessage());
        }
        Files.write(file, new byte[] {(byte) 0xFF, 0});
        assertThrows(IOException.class, () -> new PathFile(file).load());
    }
}
