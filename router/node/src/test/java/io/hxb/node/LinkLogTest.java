package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.RecordingLogger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.util.List;

@Tag("unit")
class LinkLogTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int BURST = 20;

    private final RecordingLogger logger = new RecordingLogger(Level.INFO);
    private long nowNs = 1;
    private final LinkLog log = new LinkLog(() -> nowNs);

    @Test
    void shouldWarnOfFailuresAndReportRecoveries() {
        log.failed(logger, "x.0 failed");
        log.recovered(logger, "x.0 used again");
        assertEquals(List.of("WARN x.0 failed", "INFO x.0 used again"), logger.lines());
    }

    @Test
    void shouldSumUpWhatIsTooMuch() {
        // when
        for (int i = 0; i < 4_560; i++) {
            log.failed(logger, "link " + i + " failed");
            log.doWork(logger);
        }
        log.recovered(logger, "link 1 used again");
        nowNs += 6 * SECOND_NS;
        log.doWork(logger);

        // then
        assertEquals(BURST + 1, logger.lines().size());
        assertEquals(
                "WARN links failed 4540 more times and recovered 1 times within 6 s; the last:"
                        + " link 1 used again",
                logger.lines().getLast());
    }

    @Test
    void shouldReportEachAgainAfterAWhile() {
        // given
        for (int i = 0; i < 100; i++) {
            log.failed(logger, "first");
        }
        nowNs += 60 * SECOND_NS;
        log.doWork(logger);
        logger.lines().clear();

        // when
        log.failed(logger, "second");

        // then
        assertEquals(List.of("WARN second"), logger.lines());
    }

    @Test
    void shouldNotLoseTheCountWhenTheNodeStops() {
        for (int i = 0; i < BURST + 5; i++) {
            log.failed(logger, "gone");
        }
        log.flush(logger);
        assertTrue(
                logger.lines().getLast().contains("failed 5 more times"), logger.lines().getLast());
        log.flush(logger);
        assertEquals(BURST + 1, logger.lines().size());
    }

    @Test
    void shouldKeepQuietWhileTheNodesAreTakenDown() {
        log.mute();
        log.failed(logger, "gone");
        log.unmute();
        log.flush(logger);
        assertEquals(List.of(), logger.lines());
        log.failed(logger, "broken");
        assertEquals(List.of("WARN broken"), logger.lines());
    }

    @Test
    void shouldLeaveThePlaceToFailuresWhereRecoveriesAreNotLogged() {
        final RecordingLogger warnings = new RecordingLogger(Level.WARN);
        for (int i = 0; i < 100; i++) {
            log.recovered(warnings, "used again");
        }
        log.failed(warnings, "failed");
        assertEquals(List.of("WARN failed"), warnings.lines());
    }
}
