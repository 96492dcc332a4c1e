package io.hxb.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

@Tag("unit")
class IpConnectionTest {
    private final StringWriter errors = new StringWriter();

    private int execute(final String options) {
        return new CommandLine(new IpConnection())
                .setErr(new PrintWriter(errors))
                .execute(options.split(" ", -1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--links 6,0",
                "--mtu 5",
                "--mbit -1",
                "--slow 0",
                "--delay 0",
                "--delay 101",
                "--delay NaN",
                "--loss 0",
                "--loss 100",
                "--loss NaN",
                "--pulls 0",
                "--warmup -1",
                "--wiring wireless"
            })
    void shouldRefuseWhatCannotBeMeasured(final String options) {
        assertEquals(2, execute(options));
        final String option = options.substring(0, options.indexOf(' '));
        assertTrue(errors.toString().contains(option + " must be "), errors::toString);
    }

    @Test
    void shouldReportAllThatIsWrong() {
        assertEquals(2, execute("--pulls 0 --links 0"));
        assertTrue(errors.toString().contains("--links must be"), errors::toString);
        assertTrue(errors.toString().contains("--pulls must be"), errors::toString);
    }
}
