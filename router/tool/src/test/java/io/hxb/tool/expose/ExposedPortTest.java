package io.hxb.tool.expose;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.tunnel.Tunnel;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ports that hxb expose takes. */
@Tag("unit")
class ExposedPortTest {
    private static String text(final String port) {
        final StringBuilder text = new StringBuilder();
        for (final ExposedPort exposed : ExposedPort.parse(port)) {
            text.append(exposed.port());
            exposed.targets().forEach(target -> text.append(' ').append(Tunnel.text(target)));
            text.append('\n');
        }
        return text.toString();
    }

    @Test
    void shouldLeadToTheLoopbackAddressesUnlessAHostIsGiven() {
        assertEquals("80 127.0.0.1:80 [0:0:0:0:0:0:0:1]:80\n", text("80"));
        assertEquals("80 127.0.0.1:8080 [0:0:0:0:0:0:0:1]:8080\n", text("80=8080"));
        assertEquals("80 10.0.0.7:8080\n", text("80=10.0.0.7:8080"));
        assertEquals("80 [fd00:0:0:0:0:0:0:7]:8080\n", text("80=[fd00::7]:8080"));
        assertEquals(10, text("8000-8009").lines().count());
    }

    @Test
    void shouldStateWhatIsWrong() {
        assertWrong("", "a port is PORT, PORT-PORT");
        assertWrong("http", "a port is PORT, PORT-PORT");
        assertWrong("0", "1..65535");
        assertWrong("65536", "1..65535");
        assertWrong("9-8", "begins with the lower");
        assertWrong("80=0", "1..65535");
        assertWrong("80=10.0.0.7:0", "1..65535");
        assertWrong("80=10.0.0.7", "an address is");
    }

    private static void assertWrong(final String text, final String reason) {
        final var thrown =
                assertThrows(IllegalArgumentException.class, () -> ExposedPort.parse(text), text);
        assertTrue(thrown.getMessage().contains(reason), thrown::getMessage);
    }
}
