package io.hxb.tool.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.recorder.EventEntry;
import io.hxb.recorder.EventLabels;
import io.hxb.recorder.RecordedEvent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class ExplanationTest {
    private static final long MS = 1_000_000L;
    private static final Instant NOON = Instant.parse("2026-05-04T12:00:00Z");
    private static final long NOON_NS = NOON.getEpochSecond() * 1_000 * MS;

    private static NodeEvent event(
            final int node, final long afterMs, final RecordedEvent event, final Long... all) {
        final List<Long> arguments = new ArrayList<>(List.of(all));
        while (arguments.size() < 4) {
            arguments.add(0L);
        }
        final long wallNs = NOON_NS + afterMs * MS;
        return new NodeEvent(
                new EventLabels("lab", 1, node),
                new EventEntry(1, wallNs, wallNs, event.id(), 0, arguments));
    }

    private static Explanation around(final NodeEvent... events) {
        return Explanation.of(NOON, Duration.ofSeconds(10), List.of(events));
    }

    @Test
    void shouldNameTheEventThatBeganFirstThoughItWasNoticedLater() {
        // given: a link fails, a flow notices first
        final NodeEvent found = event(0, -9_000, RecordedEvent.LINK_FOUND, 1L, 1L);
        final NodeEvent stall = event(0, 100, RecordedEvent.WINDOW_STALLED, 5L, 5L, 1L, 120 * MS);
        final NodeEvent link = event(0, 150, RecordedEvent.LINK_HELLOS_MISSED, 1L, 1L, 400 * MS);
        // when
        final Explanation explanation = around(found, stall, link);
        // then
        assertEquals(link, explanation.cause().orElseThrow());
        final List<String> lines = explanation.text().lines().toList();
        assertTrue(lines.get(1).startsWith("first cause: "), explanation.text());
        assertTrue(lines.get(1).contains("link x.1 to node 1 excluded"), explanation.text());
        assertTrue(lines.get(2).contains("check the cable"), explanation.text());
        assertEquals(3 + 4, lines.size(), explanation.text());
    }

    @Test
    void shouldTakeANodeThatEndsForTheCauseOfLinksWithoutAnswer() {
        final NodeEvent ending = event(3, 0, RecordedEvent.NODE_ENDING, 1L);
        final NodeEvent unanswered = event(0, 300, RecordedEvent.LINK_UNANSWERED, 0L, 3L, 250 * MS);
        assertEquals(ending, around(ending, unanswered).cause().orElseThrow());
    }

    @Test
    void shouldTakeALittleDelayForTheCauseOnlyWhereThereIsNothingElse() {
        final NodeEvent late = event(0, -500, RecordedEvent.WAKE_UP_LATE, 20 * MS);
        final NodeEvent link = event(0, 0, RecordedEvent.LINK_DOWN, 0L);
        final NodeEvent later = event(0, -500, RecordedEvent.TURN_LATE, 200 * MS);
        assertEquals(late, around(late).cause().orElseThrow());
        assertEquals(link, around(late, link).cause().orElseThrow());
        assertEquals(later, around(later, link).cause().orElseThrow());
    }

    @Test
    void shouldShowTheSameEventsOfANodeInOneLineOnOneScreen() {
        // given
        final List<NodeEvent> many = new ArrayList<>();
        for (int node = 0; node < 40; node++) {
            for (int i = 0; i < 10; i++) {
                many.add(event(node, i, RecordedEvent.POOL_EMPTY, 1L));
            }
        }
        // when
        final String text = around(many.toArray(NodeEvent[]::new)).text();
        // then
        assertTrue(text.contains("(and 9 more until "), text);
        assertTrue(text.contains("and 20 more lines"), text);
        assertTrue(text.lines().count() <= 25, text);
    }

    @Test
    void shouldTellApartWhereNothingHappenedAndNothingWentWrong() {
        final NodeEvent late = event(0, 10_001, RecordedEvent.CUT_OFF, 1L);
        assertTrue(around(late).text().startsWith("nothing was recorded from "));
        final String text = around(event(0, 0, RecordedEvent.CONTEXT_OPENED, 1L)).text();
        assertTrue(text.contains("nothing went wrong"), text);
    }
}
