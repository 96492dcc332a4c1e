package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What a test reports of a program that fails. */
@Tag("system")
class ErrorTailTest {
    @AutoClose private final LibHxb programs = new LibHxb();

    private Process shell(final String script) throws Exception {
        return programs.start("sh", "-c", script);
    }

    @Test
    void shouldReportTheLastLinesOfAProgramThatFails() throws Exception {
        // given: more than is kept, and than a pipe holds
        final Process process =
                shell(
                        "seq -f %01000g 100 >&2; echo said; echo line 7: why >&2;"
                                + " echo ==1==ERROR >&2; exit 3");
        // when
        final AssertionError failure =
                assertThrows(AssertionError.class, () -> LibHxb.lines(process));
        // then
        final String message = failure.getMessage();
        assertTrue(message.startsWith("said\n"), message);
        assertTrue(message.contains("00100\nline 7: why\n==1==ERROR ==>"), message);
        assertFalse(message.contains("00030\n"), message);
    }

    @Test
    void shouldReportWhyAProgramIsNotReady() throws Exception {
        final Process process = shell("echo line 7: why >&2");
        assertEquals("", ErrorTail.of(shell("exit 0")));
        // when
        final AssertionError failure =
                assertThrows(AssertionError.class, () -> LibHxb.assertReady(process, "echo"));
        // then
        assertTrue(failure.getMessage().contains("line 7: why"), failure::getMessage);
    }

    @Test
    void shouldReturnTheLinesOfAProgramThatEndsWell() throws Exception {
        assertEquals(List.of("1", "2"), LibHxb.lines(shell("echo note >&2; seq 2")));
    }
}
