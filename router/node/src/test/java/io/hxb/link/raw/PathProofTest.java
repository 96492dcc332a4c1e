package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PathProofTest {
    private static final int NEIGHBOUR = 255;
    private static final long ADDRESS = 0x0200_0000_0001L;
    private static final long MS = 1_000_000;

    private final PathProof proof = new PathProof();
    private int answers;
    private long nowNs = -5 * MS;

    private int frame() {
        return proof.onFrame(NEIGHBOUR, ADDRESS, answers, nowNs);
    }

    private void prove() {
        assertEquals(PathProof.PROBE, frame());
        answers++;
        assertEquals(PathProof.SEND, frame());
    }

    @Test
    void shouldSendFramesOnceAProbeIsAnswered() {
        // given
        assertEquals(PathProof.PROBE, frame());
        assertEquals(PathProof.REFUSE, frame());
        // when
        answers++;
        // then
        assertEquals(PathProof.SEND, frame());
        assertEquals(0, proof.probes(NEIGHBOUR));
    }

    @Test
    void shouldProbeLessAndLessOften() {
        // when
        int probes = 0;
        final long endNs = nowNs + 10_000 * MS;
        for (; nowNs < endNs; nowNs += MS) {
            probes += frame() == PathProof.PROBE ? 1 : 0;
        }
        // then: at 0, 4, 12, 28, ... 1,020 ms, then each second
        assertEquals(9 + 8, probes);
        assertEquals(probes, proof.probes(NEIGHBOUR));
    }

    @Test
    void shouldAskNowAndThenAndUntilAnAnswerComes() {
        // given
        prove();
        // when
        nowNs += PathProof.INTERVAL_NS;
        // then
        assertEquals(PathProof.ASK, frame());
        assertEquals(PathProof.SEND, frame());
        nowNs += PathProof.REPEAT_NS;
        assertEquals(PathProof.ASK, frame());
        // when
        answers++;
        // then
        assertEquals(PathProof.SEND, frame());
        nowNs += PathProof.INTERVAL_NS - 1;
        assertEquals(PathProof.SEND, frame());
    }

    @Test
    void shouldGiveAPathUpWithin100MsWhenNothingIsAnsweredAndProbeItAgain() {
        // given
        prove();
        // when
        final long beganNs = nowNs;
        while (frame() != PathProof.GIVE_UP) {
            nowNs += MS;
        }
        // then
        assertTrue(nowNs - beganNs < 100 * MS, "after ns " + (nowNs - beganNs));
        assertEquals(PathProof.PROBE, frame());
        answers++;
        assertEquals(PathProof.SEND, frame());
    }

    @Test
    void shouldNotGiveAPathUpForAPauseOfTheSender() {
        // given
        prove();
        nowNs += PathProof.INTERVAL_NS;
        assertEquals(PathProof.ASK, frame());
        // when: the answer was lost, and nothing was to be sent for a minute
        nowNs += 60_000 * MS;
        // then
        assertEquals(PathProof.ASK, frame());
        answers++;
        assertEquals(PathProof.SEND, frame());
    }

    @Test
    void shouldTrySeldomWhereProbesArriveAndFramesDoNot() {
        // when
        int tries = 0;
        final long endNs = nowNs + 10_000 * MS;
        for (; nowNs < endNs; nowNs += MS) {
            final int verdict = frame();
            if (verdict == PathProof.PROBE) {
                answers++;
            }
            tries += verdict == PathProof.GIVE_UP ? 1 : 0;
        }
        // then
        assertTrue(tries >= 8 && tries <= 16, "tries " + tries);
    }

    @Test
    void shouldNotTakeAnotherAddressForProven() {
        // given
        prove();
        // when, then
        assertEquals(PathProof.PROBE, proof.onFrame(NEIGHBOUR, ADDRESS + 1, answers, nowNs));
        assertEquals(PathProof.REFUSE, proof.onFrame(NEIGHBOUR, ADDRESS + 1, answers, nowNs));
    }
}
