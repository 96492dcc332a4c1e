package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class TimeOptionTest {
    private static final long HOUR_NS = 3_600_000_000_000L;

    private static long parse(final String text) {
        return TimeOption.parseNs("--interval", text, 0, HOUR_NS);
    }

    @Test
    void shouldTakeABareNumberForSeconds() {
        assertEquals(1_000_000_000L, parse("1"));
        assertEquals(200_000_000L, parse("0.2"));
        assertEquals(0, parse("0"));
    }

    @Test
    void shouldTakeTimesWithAUnit() {
        assertEquals(100_000L, parse("100us"));
        assertEquals(20_000_000L, parse("20ms"));
        assertEquals(1_500_000_000L, parse(" 1.5s "));
        assertEquals(120_000_000_000L, parse("2min"));
    }

    @Test
    void shouldNameTheOptionTheValueAndWhatItMayBe() {
        for (final String text : List.of("-5", "often", "", "5 parsecs", "2h", "61min", "..")) {
            final UsageException thrown =
                    assertThrows(UsageException.class, () -> parse(text), text);

            assertTrue(thrown.getMessage().startsWith("--interval must be "), thrown.getMessage());
            assertTrue(thrown.getMessage().endsWith(": " + text), thrown.getMessage());
            assertTrue(thrown.getMessage().contains("60min"), thrown.getMessage());
        }
    }
}
