package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Tag("unit")
class CounterTypeTest {
    @Test
    void shouldNumberCountersFromOneWithoutGapsOrDoubles() {
        for (int id = 1; id <= CounterType.values().length; id++) {
            assertEquals(id, CounterType.ofId(id).id());
        }
        assertSame(null, CounterType.ofId(0));
        assertSame(null, CounterType.ofId(-1));
        assertSame(null, CounterType.ofId(CounterType.values().length + 1));
    }

    @Test
    void shouldSayWhatEachCounterMeansInOneSentence() {
        for (final CounterType type : CounterType.values()) {
            assertTrue(type.meaning().matches("[A-Z1].*[^.]\\."), type + ": " + type.meaning());
        }
    }

    @Test
    void shouldNameCountersForExport() {
        assertEquals("hxb_link_sent_bytes", CounterType.LINK_SENT_BYTES.exportName());
        assertEquals("bytes", CounterType.LINK_SENT_BYTES.unit());
    }

    @Test
    void shouldBeDocumentedAsDeclared() throws IOException {
        // given
        final Path file = Path.of(System.getProperty("hxb.root"), "router/docs/counters.md");
        final String expected = CounterType.documentation();
        // when
        if (Boolean.getBoolean("hxb.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, expected);
        }
        // then
        assertEquals(
                expected,
                Files.readString(file),
                "router/docs/counters.md is old: run this test with -Dhxb.write=true");
    }
}
