package io.hxb.tool.bugreport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

@Tag("unit")
class RedactorTest {
    private static final byte[] SECRET = new byte[32];

    static {
        new Random(7).nextBytes(SECRET);
    }

    @Test
    void shouldReplaceAKnownKeyInEveryForm() {
        final String hex = HexFormat.of().formatHex(SECRET);
        for (final Redactor redactor :
                List.of(new Redactor(List.of(SECRET)), new Redactor(List.of()))) {
            for (final String form :
                    List.of(
                            hex,
                            hex.toUpperCase(java.util.Locale.ROOT),
                            Base64.getEncoder().encodeToString(SECRET),
                            Base64.getUrlEncoder().withoutPadding().encodeToString(SECRET))) {
                final String text = redactor.redact("before " + form + "\nafter");
                assertFalse(text.contains(form.substring(0, 20)), text);
                assertTrue(
                        text.matches("before \\(left out, fingerprint [0-9a-f]{8}\\)=?\nafter"),
                        text);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: hunter2",
                "password = hunter2",
                "  passphrase: \"hunter2\"",
                "{\"apiKey\":\"hunter2\"}",
                "manager.secret=hunter2",
            })
    void shouldReplaceValuesWhoseNameSaysThatTheyAreSecret(final String text) {
        final String rest = new Redactor(List.of()).redact(text);
        assertFalse(rest.contains("hunter2"), rest);
        assertTrue(rest.contains("(left out)"), rest);
    }

    @Test
    void shouldKeepWhatIsNoSecret() {
        final String text =
                """
                keys: [/etc/hxb/cluster.key]
                hxb_link_received_frames{0} 12345678901234567890
                link x.1 at 02:00:00:00:00:01, /run/user/1000/hxb/lab-0.counters
                flow_forward_dropped_fragment_contradicting_frames
                """;
        assertEquals(text, new Redactor(List.of(SECRET)).redact(text));
    }
}
