package io.hxb.tool.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The bar, with a clock that only the test moves. */
@Tag("unit")
class SweepProgressTest {
    private static final long SECOND = 1_000_000_000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    private long nowNs = 5 * SECOND;

    /** What the terminal shows now: what follows the last return to the line's start. */
    private String shown() {
        final String text = bytes.toString(StandardCharsets.UTF_8);
        return text.substring(text.lastIndexOf('\r') + 1);
    }

    @Test
    void shouldReportTheTimeLeftFromTheTimeTaken() {
        // given two runs, of which half of the first takes ten seconds
        try (SweepProgress progress = new SweepProgress(2, out, () -> nowNs)) {
            nowNs += 10 * SECOND;
            // when
            progress.onProgress(500, 1000);
            // then
            assertEquals("[##########" + ".".repeat(30) + "]  25 %, 30 s left ", shown());
            // and after two more halves at the same speed
            nowNs += 20 * SECOND;
            progress.onProgress(1000, 1000);
            assertEquals("[" + "#".repeat(30) + "..........]  75 %, 10 s left ", shown());
        }
    }

    @Test
    void shouldStartAfreshWithEachGroupAndClearTheLineAtTheEnd() {
        // given
        try (SweepProgress progress = new SweepProgress(1, out, () -> nowNs)) {
            nowNs += 40 * SECOND;
            progress.onProgress(9, 10);
            progress.begin("8x8 torus", 4);
            nowNs += 3 * SECOND;
            // when
            progress.onProgress(10, 10);
            // then
            assertEquals("8x8 torus [##########" + ".".repeat(30) + "]  25 %, 9 s left ", shown());
            progress.finish();
            assertEquals("", shown());
        }
    }

    @Test
    void shouldNotDrawMoreOftenThanEyesCanRead() {
        // given
        try (SweepProgress progress = new SweepProgress(1, out, () -> nowNs)) {
            // when
            for (int i = 0; i < 1000; i++) {
                nowNs += 1_000_000;
                progress.onProgress(1, 1000);
            }
        }
        // then a second has five bars at most
        final String text = bytes.toString(StandardCharsets.UTF_8);
        assertTrue(text.chars().filter(c -> c == '\r').count() <= 5, text);
        assertTrue(text.contains("s left"), text);
    }

    @Test
    void shouldReportNothingWithoutATerminalAndStopWhenAsked() throws InterruptedException {
        // given
        final SweepProgress progress = new SweepProgress(1, null, () -> nowNs);
        assertTrue(progress.onProgress(10, 100));
        final Thread ctrlC = new Thread(progress::stop);
        // when
        ctrlC.start();
        while (!progress.isStopping()) {
            Thread.onSpinWait();
        }
        // then runs are stopped, and the process waits until all is printed
        assertFalse(progress.onProgress(10, 100));
        assertFalse(progress.isGoingOn());
        progress.finish();
        assertTrue(ctrlC.isAlive());
        progress.close();
        ctrlC.join();
        assertEquals(0, bytes.size());
    }
}
