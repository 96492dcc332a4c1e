package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

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
        final Path file = Path.of(System.getProperty("hxb.root"), "docs/reference/counters.md");
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
                "docs/reference/counters.md is old: run this test with -Dhxb.write=true");
    }

    @Test
    void shouldBeCountedSomewhere() throws IOException {
        // given
        final Path exporters =
                Path.of(System.getProperty("hxb.root"), "router/node/src/main/java/io/hxb/node");
        final StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.list(exporters)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                sources.append(Files.readString(file));
            }
        }
        // when
        final List<CounterType> forgotten =
                Arrays.stream(CounterType.values())
                        .filter(type -> !type.name().matches("(FORWARD_DROPPED|COMPLAINT)_.*"))
                        .filter(type -> sources.indexOf("CounterType." + type.name() + ",") < 0)
                        .toList();
        // then
        assertEquals(List.of(), forgotten);
    }
}
