package io.hxb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

@Tag("unit")
class PrintableOutputTest {
    /** What names of others may have, and what is printed. */
    private static final Map<String, String> TEXTS =
            Map.ofEntries(
                    Map.entry("", ""),
                    Map.entry("plain text, C:\\ and {}\n", "plain text, C:\\ and {}\n"),
                    Map.entry("\tat io.hxb.Some\n", "\tat io.hxb.Some\n"),
                    Map.entry(
                            "Gr\u00f6\u00dfe \u4e09 \u00a0\u00bf",
                            "Gr\u00f6\u00dfe \u4e09 \u00a0\u00bf"),
                    Map.entry("\u001b[2J", "\\u001b[2J"),
                    Map.entry("a\rb\0\b", "a\\u000db\\u0000\\u0008"),
                    Map.entry("\u007f", "\\u007f"),
                    Map.entry("\u009b31mred", "\\u009b31mred"),
                    Map.entry("\u0080\u009f\u00a0", "\\u0080\\u009f\u00a0"));

    @Test
    void shouldEscapeWhatATerminalObeys() throws IOException {
        for (final Map.Entry<String, String> each : TEXTS.entrySet()) {
            // when: at once, and byte by byte
            final byte[] bytes = each.getKey().getBytes(StandardCharsets.UTF_8);
            final ByteArrayOutputStream whole = new ByteArrayOutputStream();
            final ByteArrayOutputStream pieces = new ByteArrayOutputStream();
            new PrintableOutput(whole).write(bytes, 0, bytes.length);
            final PrintableOutput single = new PrintableOutput(pieces);
            for (final byte b : bytes) {
                single.write(b);
            }
            // then
            for (final ByteArrayOutputStream written : List.of(whole, pieces)) {
                assertEquals(each.getValue(), written.toString(StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void shouldWriteLongTextsOfAStreamWhole() {
        // given: longer than the buffers of a stream
        final String text = "\u4e09\u00a0\u0085".repeat(10_000);
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        // when
        new PrintStream(new PrintableOutput(written), true, StandardCharsets.UTF_8).print(text);
        // then
        assertEquals(
                "\u4e09\u00a0\\u0085".repeat(10_000), written.toString(StandardCharsets.UTF_8));
    }
}
