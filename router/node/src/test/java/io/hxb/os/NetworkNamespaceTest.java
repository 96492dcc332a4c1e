package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

@Tag("unit")
class NetworkNamespaceTest {
    @Test
    void shouldReportWhichNamespaceIsMissing() {
        // given
        final String namespace = "no-such-namespace";
        // when
        final IOException thrown =
                assertThrows(
                        IOException.class, () -> NetworkNamespace.run(namespace, () -> "here"));
        // then
        assertTrue(thrown.getMessage().contains("/run/netns/no-such-namespace"));
    }
}
