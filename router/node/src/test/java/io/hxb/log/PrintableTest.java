package io.hxb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

@Tag("unit")
class PrintableTest {
    @Test
    void shouldEscapeWhatIsNotPrintable() {
        // then
        assertEquals("node-1.example", Printable.of("node-1.example", 64));
        assertEquals("a\\u001b[2Jb\\u000ac", Printable.of("a\u001b[2Jb\nc", 64));
        assertEquals("\\u202eevil\\u0000", Printable.of("\u202eevil\0", 64));
        assertEquals("C:\\\\", Printable.of("C:\\", 64));
        assertEquals("abc...", Printable.of("abcdef", 3));
    }

    @Test
    void shouldEscapeControlCharactersOfMessagesOnly() {
        // then
        final String plain = "file.yaml:1: Größe 三\nC:\\";
        assertEquals(plain, Printable.message(plain));
        assertEquals(
                "\\u001b[31mred\\u001b[0m\n\\u000d",
                Printable.message("\u001b[31mred\u001b[0m\n\r"));
        assertEquals(
                "\\u202e\\u0085\\u009b\\u2028\\u0009",
                Printable.message("\u202e\u0085\u009b\u2028\t"));
    }

    @Test
    void shouldLeaveNothingThatATerminalObeys() {
        // given
        final SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 2_000; i++) {
            final StringBuilder text = new StringBuilder();
            random.ints(random.nextInt(40), 0, 0x1_0000).forEach(c -> text.append((char) c));
            // when
            final String printable = Printable.of(text.toString(), 32);
            // then
            assertTrue(printable.chars().allMatch(c -> c >= ' ' && c <= '~'), printable);
            assertTrue(printable.length() <= 6 * 32 + 3, printable);
        }
    }
}
