package io.hxb.tool.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

@Tag("unit")
class ResultStreamTest {
    @Test
    void shouldWriteWhatIsPrinted() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final ResultStream stream = ResultStream.over(bytes);

        stream.print("four °");
        stream.println(4);

        assertNull(ResultStream.complaint(stream));
        assertEquals("four °4\n", bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReportWhyADeviceTookNothing() throws IOException {
        try (FileOutputStream full = new FileOutputStream("/dev/full")) {
            final ResultStream stream = ResultStream.over(full);

            stream.println("lost");

            assertNotNull(ResultStream.failure(stream));
            assertEquals(
                    "cannot write to standard output: No space left on device",
                    ResultStream.complaint(stream));
            assertFalse(ResultStream.isReaderGone(stream));
        }
    }

    @Test
    void shouldKnowAReaderThatWentAway() {
        final ResultStream stream =
                ResultStream.over(
                        new OutputStream() {
                            @Override
                            public void write(final int octet) throws IOException {
                                throw new IOException("Broken pipe");
                            }
                        });

        stream.println("lost");

        assertTrue(ResultStream.isReaderGone(stream));
    }
}
