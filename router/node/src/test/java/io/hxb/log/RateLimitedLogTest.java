package io.hxb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.RecordingLogger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

@Tag("unit")
class RateLimitedLogTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final RecordingLogger logger = new RecordingLogger(Level.INFO);
    private final RateLimitedLog limit = new RateLimitedLog(logger);

    @Test
    void shouldWriteTheFirstLinesAndSumUpTheRest() {
        // when: a minute of a thousand lines a second
        for (int i = 0; i < 60_000; i++) {
            limit.warn("foreign", 3, "frame " + i, i * SECOND_NS / 1_000);
            limit.doWork(i * SECOND_NS / 1_000);
        }
        // then
        assertTrue(logger.lines().getFirst().endsWith("frame 0"), logger.lines()::getFirst);
        final int summaries = 60 / 10;
        assertTrue(
                logger.lines().size() <= 2 * (RateLimitedLog.BURST_LINES + summaries),
                () -> String.join("\n", logger.lines()));
        assertTrue(
                logger.lines().stream().anyMatch(line -> line.contains("more lines such as this")),
                () -> String.join("\n", logger.lines()));
    }

    @Test
    void shouldNotTakeLinesFromOtherKindsAndPlaces() {
        // given
        for (int i = 0; i < 1_000; i++) {
            limit.warn("foreign", 3, "frame " + i, 0);
        }
        final int before = logger.lines().size();
        // when
        limit.warn("foreign", 4, "another link", 0);
        limit.warn("mtu", 3, "another kind", 0);
        // then
        assertEquals(before + 2, logger.lines().size());
    }

    @Test
    void shouldWriteAgainAfterAQuietTime() {
        // given
        for (int i = 0; i < RateLimitedLog.BURST_LINES; i++) {
            limit.warn("foreign", 3, "frame " + i, 0);
        }
        // when
        limit.warn("foreign", 3, "later", 100 * SECOND_NS);
        // then
        assertEquals(RateLimitedLog.BURST_LINES + 1, logger.lines().size());
    }

    @Test
    void shouldDistinguishSoManyPlacesAndNoMore() {
        // when
        for (int i = 0; i < 10 * RateLimitedLog.MAX_PLACES; i++) {
            limit.warn("foreign", i, "frame", 0);
        }
        // then
        assertEquals(RateLimitedLog.MAX_PLACES + RateLimitedLog.BURST_LINES, logger.lines().size());
    }
}
