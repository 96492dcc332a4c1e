package io.hxb.bench.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Wrong usage ends at once, with 2 and a sentence. */
@Tag("unit")
class AttackUsageTest {
    @ParameterizedTest
    @CsvSource({
        "--frames=0, --frames must be 1 or more: 0",
        "--frames=many, --frames",
        "--pace=-1, --pace must be 0 or more: -1",
        "--rate=0, --rate must be 1 or more: 0",
        "--baseline=0, --baseline must be 1 or more: 0",
        "--backend=tcp, --backend",
        "--security=sign, --security",
        "--spoof, --spoof is for --security none",
        "--rollout=half, --rollout",
        "--rollout=used --security=none, --rollout needs --security authenticate or encrypt",
        "--shape=2x, 2x",
        "--shape=1, at least 2 nodes",
        "--links=9, --links must be 1..8: 9",
        "--nonsense, --nonsense",
    })
    void shouldReportWhatIsWrong(final String arguments, final String expected) {
        // given
        final ByteArrayOutputStream errors = new ByteArrayOutputStream();
        // when
        final int status =
                Attack.commandLine()
                        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
                        .execute(arguments.split(" ", -1));
        // then
        assertEquals(2, status);
        final String text = errors.toString(StandardCharsets.UTF_8);
        assertTrue(text.lines().findFirst().orElse("").contains(expected), text);
    }
}
