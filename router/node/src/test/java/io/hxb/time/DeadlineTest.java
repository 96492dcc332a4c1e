package io.hxb.time;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class DeadlineTest {
    @Test
    void shouldChooseTheEarlierOfTwoDeadlines() {
        assertEquals(5, Deadline.earlier(5, 7));
        assertEquals(5, Deadline.earlier(7, 5));
        assertEquals(7, Deadline.earlier(Deadline.NEVER, 7));
        assertEquals(7, Deadline.earlier(7, Deadline.NEVER));
        assertEquals(Deadline.NEVER, Deadline.earlier(Deadline.NEVER, Deadline.NEVER));
    }

    @Test
    void shouldChooseItThoughTheClockOverflowsBetweenThem() {
        assertEquals(Long.MAX_VALUE - 1, Deadline.earlier(Long.MAX_VALUE - 1, Long.MIN_VALUE + 5));
    }

    @Test
    void shouldNotLeaveADeadlineInThePast() {
        assertEquals(10, Deadline.notBefore(10, 3));
        assertEquals(11, Deadline.notBefore(10, 11));
        assertEquals(Deadline.NEVER, Deadline.notBefore(10, Deadline.NEVER));
    }
}
