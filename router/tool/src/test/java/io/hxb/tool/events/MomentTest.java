package io.hxb.tool.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.time.ZoneId;

@Tag("unit")
class MomentTest {
    private static final Instant NOW = Instant.parse("2026-05-04T10:30:00Z");
    private static final ZoneId ZONE = ZoneId.of("+02:00");

    @ParameterizedTest
    @CsvSource({
        "12:03:10, 2026-05-04T10:03:10Z",
        "12:03, 2026-05-04T10:03:00Z",
        "12:03:10.5, 2026-05-04T10:03:10.500Z",
        "12:31, 2026-05-03T10:31:00Z",
        "-5m, 2026-05-04T10:25:00Z",
        "-0.5, 2026-05-04T10:29:59.500Z",
        "2026-05-01T08:00:00, 2026-05-01T06:00:00Z",
        "2026-05-01T08:00:00Z, 2026-05-01T08:00:00Z",
        "2026-05-01T08:00:00+01:00, 2026-05-01T07:00:00Z",
    })
    void shouldUnderstandTimesOfDayAgesAndDates(final String text, final Instant moment) {
        assertEquals(moment, Moment.parse("--explain", text, NOW, ZONE));
    }

    @Test
    void shouldReportWhatAMomentMayBe() {
        for (final String text : new String[] {"noon", "25:00", "-", "-5parsecs", "", "T"}) {
            final UsageException thrown =
                    assertThrows(
                            UsageException.class, () -> Moment.parse("--explain", text, NOW, ZONE));
            assertTrue(
                    thrown.getMessage()
                            .startsWith("--explain must be a time of day such as 12:03:10"),
                    thrown.getMessage());
        }
    }
}
