package io.hxb.pm.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.stress.StateMemory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * {@link CompletionRing}: the node puts, the application takes. What becomes of an entry that is
 * used again is in {@link SubmissionRingStress.Reuse}.
 */
public final class CompletionRingStress {
    private static final StateMemory MEMORY = new StateMemory(128);

    private CompletionRingStress() {}

    /** An entry that its stamp announces has its slot, its count and its status. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "Not published yet.")
    @Outcome(id = "5, 3, -2", expect = ACCEPTABLE, desc = "Taken whole.")
    @Outcome(expect = FORBIDDEN, desc = "A field is missing.")
    @State
    public static class Publication {
        private final long address = MEMORY.next();
        private final CompletionRing node = new CompletionRing(address, 1);
        private final CompletionRing application = new CompletionRing(address, 1);

        @Actor
        public void node() {
            node.put(5, 3, -2);
        }

        @Actor
        public void application(final III_Result result) {
            if (application.take()) {
                result.r1 = application.slot();
                result.r2 = application.messages();
                result.r3 = application.status();
            }
        }
    }
}
