package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What users read of errors of the JVM and of libraries. */
@Tag("unit")
class FailuresTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Failures failures =
            new Failures(new PrintStream(printed, true, StandardCharsets.UTF_8));

    private String firstLine() {
        final String text = printed.toString(StandardCharsets.UTF_8);
        printed.reset();
        assertTrue(text.startsWith("hxb: "), text);
        return text.lines().findFirst().orElseThrow();
    }

    @Test
    void shouldSayWhichMemoryRanOutAndWhatToDo() {
        final Map<String, String> remedies =
                Map.of(
                        "Java heap space",
                        "HXB_JAVA_OPTIONS=-Xmx",
                        "GC overhead limit exceeded",
                        "HXB_JAVA_OPTIONS=-Xmx",
                        "Requested array size exceeds VM limit",
                        "HXB_JAVA_OPTIONS=-Xmx",
                        "unable to create native thread: possibly out of memory or process/resource"
                                + " limits reached",
                        "ulimit -u",
                        "Cannot reserve 4096 bytes of direct buffer memory (allocated: 1, limit:"
                                + " 2)",
                        "-XX:MaxDirectMemorySize",
                        "Metaspace",
                        "-XX:MaxMetaspaceSize",
                        "Compressed class space",
                        "-XX:MaxMetaspaceSize");
        remedies.forEach(
                (text, remedy) -> {
                    // when
                    final int status = failures.outOfMemory(new OutOfMemoryError(text), false);
                    // then: one line
                    assertEquals(ExitStatus.FAILED, status);
                    assertEquals(1, printed.toString(StandardCharsets.UTF_8).lines().count());
                    final String line = firstLine();
                    assertTrue(line.contains(remedy), line);
                    assertEquals(text.contains("thread"), line.contains("out of threads"), line);
                });
        failures.outOfMemory(new OutOfMemoryError(), false);
        assertTrue(firstLine().contains("-Xmx"));
        // and: before a command runs
        failures.error(new OutOfMemoryError("Java heap space"), false);
        assertTrue(firstLine().startsWith("hxb: out of memory: "));
    }

    @Test
    void shouldPutALibraryThatCannotBeLoadedIntoWords() {
        // when
        final int status =
                failures.error(
                        new UnsatisfiedLinkError("/tmp/a.so: failed to map segment\u001b"), false);
        // then
        assertEquals(ExitStatus.FAILED, status);
        final String line = firstLine();
        assertTrue(line.contains("cannot be loaded") && line.contains("noexec"), line);
        assertFalse(line.contains("\u001b"), line);
        // and: what nobody has foreseen
        failures.error(new IllegalStateException("odd"), false);
        assertTrue(
                firstLine().contains("the program failed: java.lang.IllegalStateException: odd"));
    }
}
