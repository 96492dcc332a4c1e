package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.MisconfigurationFlyweight;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

@Tag("unit")
class CounterTypeTest {
    // Where one is only read, it is not counted.
    private static final Pattern COUNTED = Pattern.compile("(?<!value\\()CounterType\\.(\\w+)");

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
    void shouldReportWhatEachCounterMeansInOneSentence() {
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
        final Path sources =
                Path.of(System.getProperty("hxb.root"), "router/node/src/main/java/io/hxb");
        final Set<String> counted = new HashSet<>();
        try (Stream<Path> files = Files.walk(sources)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                final Matcher name = COUNTED.matcher(Files.readString(file).replaceAll("\\s", ""));
                while (name.find()) {
                    counted.add(name.group(1));
                }
            }
        }
        CounterType.drops().forEach(type -> counted.add(type.name()));
        for (int kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            counted.add("MISCONFIGURATION_" + MisconfigurationFlyweight.name(kind) + "_EVENTS");
        }
        // when
        final List<CounterType> forgotten =
                Arrays.stream(CounterType.values())
                        .filter(type -> !counted.contains(type.name()))
                        .toList();
        // then
        assertEquals(List.of(), forgotten);
    }
}
