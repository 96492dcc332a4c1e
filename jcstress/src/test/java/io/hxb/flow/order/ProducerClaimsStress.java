package io.hxb.flow.order;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * {@link ProducerClaims}: a loop claims and the owner releases or closes. Two loops that claim at
 * the same time are in {@code DeliveryRingStress}.
 */
public final class ProducerClaimsStress {
    private ProducerClaimsStress() {}

    /** A loop that found no room is noticed by the owner that makes some. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1"},
            expect = ACCEPTABLE,
            desc = "There was room; the owner may have been notified that there was none before.")
    @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "There was no room, and the owner knows.")
    @Outcome(expect = FORBIDDEN, desc = "A loop waits for room that the owner has made.")
    @State
    public static class Stall {
        private final ProducerClaims claims = new ProducerClaims(1);

        {
            claims.claim(1);
            claims.published(1);
        }

        @Actor
        public void loop(final II_Result result) {
            result.r1 = (int) claims.claim(1);
        }

        @Actor
        public void owner(final II_Result result) {
            claims.release(1);
            result.r2 = claims.takeStalled() ? 1 : 0;
        }
    }

    /** The owner finds the ring quiet only when no loop writes into it any more. */
    @JCStressTest
    @Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "Closed before the claim.")
    @Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "The loop is not done yet.")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The loop is done: its entry is there.")
    @Outcome(expect = FORBIDDEN, desc = "An entry is written after the end.")
    @State
    public static class Close {
        private final ProducerClaims claims = new ProducerClaims(1);
        private int entry;

        @Actor
        public void loop(final II_Result result) {
            result.r1 = (int) claims.claim(1);
            if (result.r1 >= 0) {
                entry = 1;
                claims.published(1);
            }
        }

        @Actor
        public void owner(final II_Result result) {
            claims.close();
            result.r2 = claims.isQuiet() ? entry : -1;
        }
    }
}
