package io.hxb.tool.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.init.NeighbourSurvey.State;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class AgreementTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String SELF = "000000000001";
    private static final String OTHER = "000000000002";

    private final NeighbourSurvey known = new NeighbourSurvey();
    private long nowNs;

    AgreementTest() {
        known.addMachine(SELF, "pc1");
    }

    private Agreement start(final int expected) {
        return new Agreement(SELF, 30 * SECOND, 120 * SECOND, expected, nowNs);
    }

    private void passSeconds(final Agreement agreement, final long seconds) {
        nowNs += seconds * SECOND;
        agreement.update(known, nowNs);
    }

    private void tell(final long digest, final boolean hasEnded) {
        known.addState(OTHER, new State(1 + nowNs / 1_000_000, digest, hasEnded));
    }

    @Test
    void shouldWaitLongerForTheFirstAnswer() {
        final Agreement agreement = start(0);

        passSeconds(agreement, 119);
        assertFalse(agreement.isDone());
        passSeconds(agreement, 1);

        assertTrue(agreement.isDone());
    }

    @Test
    void shouldEndWhenNothingNewHasComeAndAllKnowTheSame() {
        // given: another comes after 100 s
        final Agreement agreement = start(0);
        passSeconds(agreement, 100);
        known.addMachine(OTHER, "pc2");
        agreement.onNews(nowNs);
        // when
        for (int i = 0; i < 30; i++) {
            tell(known.digest() + 1, false);
            passSeconds(agreement, 1);
        }
        // then
        assertTrue(agreement.isWanted() && !agreement.hasEnded());
        assertEquals(List.of(OTHER), agreement.missing(known, nowNs));
        // and when it has learned the rest
        tell(known.digest(), false);
        passSeconds(agreement, 1);
        assertTrue(agreement.hasEnded() && !agreement.isDone());
        tell(known.digest(), true);
        passSeconds(agreement, 1);
        assertTrue(agreement.isDone());
    }

    @Test
    void shouldEndWithAnotherThatKnowsTheSame() {
        final Agreement agreement = start(0);
        known.addMachine(OTHER, "pc2");
        agreement.onNews(nowNs);
        tell(known.digest() + 1, true);
        passSeconds(agreement, 1);
        assertFalse(agreement.hasEnded());

        tell(known.digest(), true);
        passSeconds(agreement, 1);

        assertTrue(agreement.isDone());
    }

    @Test
    void shouldEndTwoSecondsAfterTheExpectedMachinesAreFound() {
        final Agreement agreement = start(2);
        known.addMachine(OTHER, "pc2");
        agreement.onNews(nowNs);
        tell(known.digest(), false);
        passSeconds(agreement, 1);
        assertFalse(agreement.hasEnded());

        passSeconds(agreement, 1);

        assertTrue(agreement.hasEnded());
        assertFalse(agreement.isDone());
        // It answers for 5 s to one that has not ended.
        passSeconds(agreement, 5);
        assertTrue(agreement.isDone());
    }

    @Test
    void shouldNotWaitForAMachineThatHasGone() {
        // given: the user ends it, while the other does not know all
        final Agreement agreement = start(0);
        known.addMachine(OTHER, "pc2");
        tell(7, false);
        agreement.onEnter();
        passSeconds(agreement, 0);
        assertEquals(List.of(OTHER), agreement.missing(known, nowNs));
        // when
        passSeconds(agreement, 10);
        // then
        assertTrue(agreement.isDone());
        assertEquals(List.of(OTHER), agreement.lost(known, nowNs));
    }

    @Test
    void shouldNotWaitForEverForOneThatNeverLearns() {
        final Agreement agreement = start(0);
        known.addMachine(OTHER, "pc2");
        agreement.onEnter();
        final List<Long> done = new ArrayList<>();
        for (int i = 0; i <= 60; i++) {
            tell(i, false);
            passSeconds(agreement, 1);
            if (agreement.isDone()) {
                done.add(nowNs);
            }
        }

        assertEquals(List.of(61 * SECOND), done);
        assertFalse(agreement.hasEnded());
    }
}
