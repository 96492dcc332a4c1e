package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class QuestionTest {
    private static final long SILENCE_NS = 30_000_000;
    private static final long INTERVAL_NS = 20_000_000;

    private final Question question = new Question(SILENCE_NS, INTERVAL_NS);

    @Test
    void shouldNotWaitForANeighbourThatIsSentNothing() {
        // when
        question.look(false, 0, 1);
        // then
        assertFalse(question.isWaiting());
    }

    @Test
    void shouldAskThreeTimesAndGiveUp() {
        // given
        question.look(false, 1, 0);
        assertEquals(SILENCE_NS, question.dueNs());
        // when
        long nowNs = SILENCE_NS;
        for (int i = 0; i < 3; i++) {
            assertFalse(question.isExhausted(false));
            question.ask(nowNs);
            assertTrue(question.isAsking());
            nowNs += INTERVAL_NS;
            assertEquals(nowNs, question.dueNs());
        }
        // then
        assertTrue(question.isExhausted(false));
    }

    @Test
    void shouldWaitAnewAfterAnAnswer() {
        // given
        question.look(false, 1, 0);
        question.ask(SILENCE_NS);
        // when
        question.look(true, 2, SILENCE_NS + 1);
        assertFalse(question.isWaiting());
        question.look(false, 3, SILENCE_NS + 2);
        // then
        assertTrue(question.isWaiting());
        assertEquals(2 * SILENCE_NS + 2, question.dueNs());
    }
}
