package io.hxb.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
class RecordedEventTest {
    private static final Pattern RECORDED = Pattern.compile("RecordedEvent\\.([A-Z_]+)");

    private static EventEntry entry(final RecordedEvent event, final Long... arguments) {
        return new EventEntry(1, 2, 3, event.id(), 0, List.of(arguments));
    }

    @Test
    void shouldNumberEventsFromOneWithoutGapsOrDoubles() {
        for (int id = 1; id <= RecordedEvent.values().length; id++) {
            assertEquals(id, RecordedEvent.ofId(id).id());
            assertTrue(RecordedEvent.ofId(id).argumentCount() <= EventEntry.ARGUMENTS);
        }
        assertSame(null, RecordedEvent.ofId(0));
        assertSame(null, RecordedEvent.ofId(RecordedEvent.values().length + 1));
    }

    @Test
    void shouldWriteSentencesWithUnits() {
        assertEquals(
                "link y.1 to node 3 excluded: nothing arrived for 12 ms while other links carried"
                        + " frames",
                entry(RecordedEvent.LINK_SILENT, RecordedEvent.link(1, 1), 3L, 12_345_678L, 0L)
                        .sentence());
        assertEquals(
                "link x.0 to node 2 excluded: it loses 12.3 % of its frames",
                entry(RecordedEvent.LINK_LOSSY, RecordedEvent.link(0, 0), 2L, 1234L, 0L)
                        .sentence());
        assertEquals(
                "the clock moved by -1.5 s: somebody set it, or the machine was suspended",
                entry(RecordedEvent.CLOCK_STEPPED, -1_500_000_000L, 0L, 0L, 0L).sentence());
        assertEquals(
                "an event of another version, with id 999: [1, 2, 3, 4]",
                new EventEntry(1, 2, 3, 999, 0, List.of(1L, 2L, 3L, 4L)).sentence());
    }

    @Test
    void shouldNameArgumentsForPrograms() {
        final EventEntry silent =
                entry(RecordedEvent.LINK_SILENT, RecordedEvent.link(0, 1), 3L, 5_000L, 0L);
        assertEquals(List.of("link", "node", "silence_ns"), List.copyOf(silent.report().keySet()));
        assertEquals("x.1", silent.report().get("link"));
        assertEquals(5_000L, silent.report().get("silence_ns"));
        assertEquals("link-silent", silent.word());
    }

    @Test
    void shouldHaveWordsForEveryMisconfigurationAndNeverFailOnGarbage() {
        for (long kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            assertFalse(EventArgument.FINDING.text(kind).startsWith("finding "), "kind " + kind);
        }
        for (final RecordedEvent event : RecordedEvent.values()) {
            for (final long value : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
                assertFalse(entry(event, value, value, value, value).sentence().contains("{"));
            }
        }
    }

    @Test
    void shouldSelectByWordOrItsBeginning() {
        assertEquals(List.of(RecordedEvent.CUT_OFF), RecordedEvent.named("cut-off"));
        assertTrue(RecordedEvent.named("link-*").contains(RecordedEvent.LINK_DOWN));
        assertEquals(List.of(), RecordedEvent.named("nonsense"));
    }

    @Test
    void shouldBeDocumentedAsDeclared() throws IOException {
        // given
        final Path file = Path.of(System.getProperty("hxb.root"), "docs/reference/events.md");
        final String expected = RecordedEvent.documentation();
        // when
        if (Boolean.getBoolean("hxb.write")) {
            Files.writeString(file, expected);
        }
        // then
        assertEquals(
                expected,
                Files.readString(file),
                "docs/reference/events.md is old: run this test with -Dhxb.write=true");
    }

    @Test
    void shouldBeRecordedSomewhere() throws IOException {
        // given
        final Path sources =
                Path.of(System.getProperty("hxb.root"), "router/node/src/main/java/io/hxb");
        final Set<String> recorded = new HashSet<>();
        try (Stream<Path> files = Files.walk(sources)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                final Matcher name = RECORDED.matcher(Files.readString(file));
                while (name.find()) {
                    recorded.add(name.group(1));
                }
            }
        }
        // then
        assertEquals(
                List.of(),
                Arrays.stream(RecordedEvent.values())
                        .filter(event -> !recorded.contains(event.name()))
                        .toList());
    }
}
