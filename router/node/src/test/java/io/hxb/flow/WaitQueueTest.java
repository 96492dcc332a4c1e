package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lines in which each thing stands at most once. */
@Tag("unit")
class WaitQueueTest {
    private final WaitQueue<String> line = new WaitQueue<>();
    private final WaitQueue<String> other = new WaitQueue<>();
    private final WaitQueue.Place<String> first = new WaitQueue.Place<>("first");
    private final WaitQueue.Place<String> second = new WaitQueue.Place<>("second");

    @Test
    void shouldServeWhoComesFirst() {
        // given
        line.add(first);
        line.add(second);
        // then
        assertEquals(2, line.length());
        assertEquals("first", line.first());
        assertEquals("second", line.last());
        assertEquals("first", line.poll());
        assertEquals("second", line.poll());
        assertNull(line.poll());
        assertTrue(line.isEmpty());
    }

    @Test
    void shouldTakeAPlaceThatWaitsAlreadyInNoLine() {
        // given
        line.add(first);
        // then
        assertFalse(line.add(first));
        assertFalse(other.add(first));
        assertEquals(1, line.length());
        assertTrue(other.isEmpty());
    }

    @Test
    void shouldTakeAPlaceAgainThatHasLeft() {
        // given
        line.add(first);
        line.poll();
        // then
        assertFalse(first.isWaiting());
        assertTrue(line.add(first));
        assertTrue(first.isWaiting());
    }

    @Test
    void shouldMoveAllAfterThoseOfTheOtherLine() {
        // given
        line.add(first);
        other.add(second);
        // when
        line.takeAll(other);
        other.takeAll(line);
        line.takeAll(other);
        // then
        assertTrue(other.isEmpty());
        assertEquals("first", line.poll());
        assertEquals("second", line.poll());
        assertEquals(0, line.length());
    }

    @Test
    void shouldMoveAllBeforeThoseOfTheOtherLine() {
        // given
        line.add(second);
        other.add(first);
        // when
        line.takeAllFirst(other);
        // then
        assertTrue(other.isEmpty());
        assertEquals(2, line.length());
        assertEquals("first", line.poll());
        assertEquals("second", line.poll());
        assertTrue(line.isEmpty());
    }
}
