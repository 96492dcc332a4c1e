package io.hxb.pm.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.stress.StateMemory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link SubmissionRing}: the application puts, the node takes. */
public final class SubmissionRingStress {
    private static final StateMemory MEMORY = new StateMemory(128);
    private static final int WRONG = -1;
    private static final int SPINS = 100;

    private SubmissionRingStress() {}

    private static void put(final SubmissionRing ring, final int message) {
        ring.put(message, message, message, message, message, message, message, message);
    }

    private static boolean isWhole(final SubmissionRing ring, final int message) {
        return ring.slot() == message
                && ring.lengthBytes() == message
                && ring.node() == message
                && ring.context() == message
                && ring.tag() == message
                && ring.region() == message
                && ring.regionOffset() == message
                && ring.shortsBefore() == message;
    }

    /** An entry that its stamp announces has all its fields. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "Not published yet.")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "Taken whole.")
    @Outcome(expect = FORBIDDEN, desc = "A field is missing.")
    @State
    public static class Publication {
        private final long address = MEMORY.next();
        private final SubmissionRing application = new SubmissionRing(address, 1);
        private final SubmissionRing node = new SubmissionRing(address, 1);

        @Actor
        public void application() {
            put(application, 7);
        }

        @Actor
        public void node(final I_Result result) {
            if (node.take()) {
                result.r1 = isWhole(node, 7) ? 1 : WRONG;
            }
        }
    }

    /** The only entry is written again after the completion of its message. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1", "1, 2", "2, 2", "2, 3", "3, 3"},
            expect = ACCEPTABLE,
            desc = "Completed no more than was taken, each taken whole and in order.")
    @Outcome(expect = FORBIDDEN, desc = "An entry is lost, taken twice or overwritten.")
    @State
    public static class Reuse {
        private final long address = MEMORY.next();
        private final SubmissionRing submit = new SubmissionRing(address, 1);
        private final SubmissionRing submitted = new SubmissionRing(address, 1);
        private final CompletionRing complete = new CompletionRing(address + 64, 1);
        private final CompletionRing completed = new CompletionRing(address + 64, 1);

        @Actor
        public void application(final II_Result result) {
            for (int message = 1; message <= 3; message++) {
                put(submit, message);
                if (!awaitCompletion()) {
                    return;
                }
                if (completed.slot() != message || completed.messages() != 1) {
                    result.r1 = WRONG;
                    return;
                }
                result.r1 = message;
            }
        }

        @Actor
        public void node(final II_Result result) {
            for (int message = 1; message <= 3; message++) {
                if (!awaitSubmission()) {
                    return;
                }
                if (!isWhole(submitted, message)) {
                    result.r2 = WRONG;
                    return;
                }
                result.r2 = message;
                complete.put(message, 1, 0);
            }
        }

        private boolean awaitCompletion() {
            for (int spins = 0; spins < SPINS; spins++) {
                if (completed.take()) {
                    return true;
                }
                Thread.onSpinWait();
            }
            return false;
        }

        private boolean awaitSubmission() {
            for (int spins = 0; spins < SPINS; spins++) {
                if (submitted.take()) {
                    return true;
                }
                Thread.onSpinWait();
            }
            return false;
        }
    }
}
