package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class MessageSizesTest {
    private static List<Integer> parse(final String text) {
        return MessageSizes.parse("--size", text, 1 << 30);
    }

    @Test
    void shouldTakeOneSizeSeveralOrThePowersOfTwoOfARange() {
        assertEquals(List.of(8192), parse("8192"));
        assertEquals(List.of(65_536), parse("64K"));
        assertEquals(List.of(65_536, 64_000, 64_000), parse("64KiB,64kB,64000"));
        assertEquals(List.of(1, 2, 4, 8), parse("1..8"));
        assertEquals(List.of(3, 4, 8, 10), parse("3..10"));
        assertEquals(List.of(7), parse("7..7"));
        assertEquals(List.of(100, 1024, 2048), parse("100,1k..2k"));
        assertEquals(31, parse("1..1G").size());
        assertEquals(1 << 30, parse("1..1g").getLast());
    }

    @Test
    void shouldReportWhatASizeMayBe() {
        for (final String text :
                List.of("", "x", "0", "-1", "1..", "..1", "1...2", "8..4", "1,", "1025M", "1e3")) {
            final UsageException thrown = assertThrows(UsageException.class, () -> parse(text));
            assertTrue(thrown.getMessage().startsWith("--size must "), thrown::getMessage);
        }
    }
}
