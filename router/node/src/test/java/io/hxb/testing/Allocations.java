package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** What the current thread allocates on Java's heap. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long LIMIT_NS = 60_000_000_000L;
    private static final long RECORDED_NS = 10_000_000_000L;
    private static final String EVENT = "jdk.ObjectAllocationSample";

    private Allocations() {}

    /**
     * Repeats a round until one allocates nothing. The compiler, which removes objects that do not
     * escape, needs some rounds, and more where it gets little of a busy machine's CPUs: so time
     * bounds them, not a number. A failure names what was allocated, and where.
     *
     * @return number of rounds.
     */
    public static int awaitNone(final Runnable round) {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        long bytes = Long.MAX_VALUE;
        int rounds = 0;
        while (bytes != 0) {
            bytes = run(round);
            rounds++;
            if (bytes != 0 && System.nanoTime() - deadlineNs > 0) {
                fail(
                        bytes
                                + " bytes are allocated in a round after "
                                + rounds
                                + " rounds: "
                                + record(round));
            }
        }
        return rounds;
    }

    private static long run(final Runnable round) {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        round.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static String record(final Runnable round) {
        try (var recording = new Recording()) {
            recording.enable(EVENT).with("throttle", "1000/s").withStackTrace();
            recording.start();
            final long endNs = System.nanoTime() + RECORDED_NS;
            do {
                run(round);
            } while (System.nanoTime() - endNs < 0);
            recording.stop();
            return read(recording);
        } catch (final IOException e) {
            return "they could not be recorded: " + e.getMessage();
        }
    }

    private static String read(final Recording recording) throws IOException {
        final Path file = Files.createTempFile("allocations", ".jfr");
        try {
            recording.dump(file);
            final long thread = Thread.currentThread().threadId();
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getThread().getJavaThreadId() == thread)
                    .filter(Allocations::isOfRound)
                    .map(Allocations::describe)
                    .collect(Collectors.groupingBy(place -> place, Collectors.counting()))
                    .toString();
        } finally {
            Files.delete(file);
        }
    }

    private static boolean isOfRound(final RecordedEvent event) {
        return event.getStackTrace() != null
                && event.getStackTrace().getFrames().stream()
                        .map(frame -> frame.getMethod())
                        .anyMatch(
                                method ->
                                        method.getName().equals("run")
                                                && method.getType()
                                                        .getName()
                                                        .equals(Allocations.class.getName()));
    }

    private static String describe(final RecordedEvent event) {
        final String frames =
                event.getStackTrace().getFrames().stream()
                        .limit(12)
                        .map(Allocations::describe)
                        .collect(Collectors.joining(" < "));
        return event.getClass("objectClass").getName() + " at " + frames;
    }

    private static String describe(final RecordedFrame frame) {
        return frame.getMethod().getType().getName()
                + '.'
                + frame.getMethod().getName()
                + ':'
                + frame.getLineNumber()
                + ' '
                + frame.getType();
    }
}
