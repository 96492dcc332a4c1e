package io.hxb.pm.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.linux.Memory;
import io.hxb.stress.StateMemory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * {@link ReleaseRing}: the application puts, the node takes. What becomes of an entry that is used
 * again is in {@link DeliveryRingStress.Reuse}.
 */
public final class ReleaseRingStress {
    private static final StateMemory MEMORY = new StateMemory(128);

    private ReleaseRingStress() {}

    /** A buffer and an event are taken in their order, each once. */
    @JCStressTest
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Nothing was there yet.")
    @Outcome(
            id = {"-1, 5", "5, -1"},
            expect = ACCEPTABLE,
            desc = "The buffer was there by the second or by the first look.")
    @Outcome(id = "5, 4294967295", expect = ACCEPTABLE, desc = "Both were there.")
    @Outcome(expect = FORBIDDEN, desc = "An entry is lost or taken twice.")
    @State
    public static class Order {
        private final long address = MEMORY.next();
        private final ReleaseRing application = new ReleaseRing(address, 2);
        private final ReleaseRing node = new ReleaseRing(address, 2);

        @Actor
        public void application() {
            application.put(5);
            application.put(ReleaseRing.EVENT);
        }

        @Actor
        public void node(final JJ_Result result) {
            result.r1 = node.take();
            result.r2 = node.take();
        }
    }

    /** The application has read a buffer before the node writes the next frame into it. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Read; not given back yet.")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Read, given back, and written again.")
    @Outcome(expect = FORBIDDEN, desc = "The application reads the next frame.")
    @State
    public static class BufferOfTheNextFrame {
        private final long address = MEMORY.next();
        private final long payload = address + 64;
        private final ReleaseRing application = new ReleaseRing(address, 1);
        private final ReleaseRing node = new ReleaseRing(address, 1);

        {
            Memory.putInt(payload, 1);
        }

        @Actor
        public void application(final II_Result result) {
            result.r1 = Memory.getInt(payload);
            application.put(0);
        }

        @Actor
        public void node(final II_Result result) {
            if (node.take() != ReleaseRing.NONE) {
                Memory.putInt(payload, 2);
                result.r2 = 1;
            }
        }
    }
}
