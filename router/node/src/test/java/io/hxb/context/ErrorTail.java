package io.hxb.context;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What a program prints to its standard error: a thread shows it among the errors of the test, and
 * keeps the last lines for the message of an assertion. Any thread may ask for them.
 */
final class ErrorTail {
    /** A report of a sanitizer has some forty lines. */
    private static final int MAX_LINES = 60;

    /** Processes that a program has left may keep its standard error open. */
    private static final long LIMIT_MS = TimeUnit.SECONDS.toMillis(10);

    private static final Map<Process, ErrorTail> TAILS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final Deque<String> lines = new ArrayDeque<>();
    private final Thread thread;

    private ErrorTail(final BufferedReader errors) {
        thread = Thread.ofPlatform().daemon().name("error-tail").start(() -> show(errors));
    }

    /** Reads the standard error of a process from now on. */
    static void follow(final Process process) {
        TAILS.put(process, new ErrorTail(process.errorReader()));
    }

    /**
     * The last lines that a process which has ended printed to its standard error; none if nobody
     * follows it. Waits until all have been read.
     */
    static String of(final Process process) {
        final ErrorTail tail = TAILS.get(process);
        return tail == null ? "" : tail.text();
    }

    private void show(final BufferedReader errors) {
        try (errors) {
            for (String line = errors.readLine(); line != null; line = errors.readLine()) {
                System.err.println(line);
                keep(line);
            }
        } catch (final IOException e) {
            keep(e.toString());
        }
    }

    private synchronized void keep(final String line) {
        if (lines.size() == MAX_LINES) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }

    private String text() {
        try {
            thread.join(LIMIT_MS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return lines.isEmpty() ? "" : "\nstandard error: " + String.join("\n", lines);
        }
    }
}
