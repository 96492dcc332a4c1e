package io.hxb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;

@Tag("unit")
class LogThreadTest {
    /** A disk that takes a write only when it may. */
    private static final class Disk extends OutputStream {
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private final Semaphore writes = new Semaphore(0);
        private final Semaphore begun = new Semaphore(0);

        @Override
        public void write(final int b) {
            throw new AssertionError("lines are written whole");
        }

        @Override
        public void write(final byte[] bytes) throws IOException {
            begun.release();
            writes.acquireUninterruptibly();
            written.write(bytes);
        }

        String text() {
            return written.toString(StandardCharsets.UTF_8);
        }
    }

    private final Disk disk = new Disk();
    private final LogThread log = new LogThread(disk, () -> {});

    @Test
    void shouldWriteLinesInOrder() {
        // given
        disk.writes.release(1_000);
        // when
        for (int i = 0; i < 500; i++) {
            log.stream().println("line " + i);
        }
        log.close();
        // then
        final String[] lines = disk.text().split("\n", -1);
        assertEquals(501, lines.length);
        assertEquals("line 499", lines[499]);
    }

    @Test
    void shouldEscapeNamesOfOthers() {
        // given
        disk.writes.release(10);
        // when
        log.stream().println("link \u001b]0;x\u0007 of \u009bhost\r");
        log.close();
        // then
        assertEquals("link \\u001b]0;x\\u0007 of \\u009bhost\\u000d\n", disk.text());
    }

    @Test
    void shouldNotWaitForADiskThatStandsStillButCountWhatItLoses() {
        // given
        log.stream().println("first");
        disk.begun.acquireUninterruptibly();
        // when: far more than there is room for, while nothing is written
        for (int i = 0; i < 10 * LogThread.MAX_LINES; i++) {
            log.stream().println("line " + i);
        }
        disk.writes.release(10 * LogThread.MAX_LINES);
        log.close();
        // then
        final int lost = 9 * LogThread.MAX_LINES;
        assertTrue(disk.text().contains(lost + " lines of the log are lost"), disk::text);
        assertTrue(disk.text().contains("\nline " + (LogThread.MAX_LINES - 1) + "\n"), disk::text);
    }

    @Test
    void shouldCutLongLinesAndLimitTheBytesOfAll() {
        // given
        disk.writes.release(1 << 20);
        final String line = "x".repeat(3 * LogThread.MAX_LINE_BYTES);
        // when: twice what may be written at once
        final int lines = 2 * LogThread.BURST_BYTES / LogThread.MAX_LINE_BYTES;
        for (int i = 0; i < lines; i++) {
            log.stream().println(line);
        }
        log.close();
        // then
        assertTrue(disk.text().length() <= LogThread.BURST_BYTES + 10 * LogThread.BYTES_PER_SECOND);
        assertTrue(
                disk.text()
                        .lines()
                        .filter(text -> text.startsWith("x"))
                        .allMatch(text -> text.length() == LogThread.MAX_LINE_BYTES - 1));
        assertTrue(disk.text().contains("lines of the log are lost"));
    }
}
