package io.hxb.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.linux.Memory;
import io.hxb.stress.StateMemory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link BufferPool}: threads take buffers from the common stack and give them back. */
public final class BufferPoolStress {
    private static final StateMemory MEMORY = new StateMemory(128);
    private static final int BUFFER_BYTES = 128;

    private BufferPoolStress() {}

    /** A pool whose buffers nobody reads or writes. */
    private static BufferPool pool(final int buffers) {
        return new BufferPool(0, buffers, BUFFER_BYTES);
    }

    /** How many buffers there are among those held and those free, less 10 for each there twice. */
    private static int count(final BufferPool.Share share, final int held, final int alsoHeld) {
        final int[] times = new int[3];
        int id = held;
        for (int i = 0; i < 6 && id != BufferPool.NONE; i++) {
            times[id]++;
            id = share.acquire();
        }
        if (alsoHeld != BufferPool.NONE) {
            times[alsoHeld]++;
        }
        int count = 0;
        for (final int found : times) {
            count += found > 1 ? found - 10 * (found - 1) : found;
        }
        return count;
    }

    /** Two threads take the last buffer. */
    @JCStressTest
    @Outcome(
            id = {"0, -1", "-1, 0"},
            expect = ACCEPTABLE,
            desc = "One has it.")
    @Outcome(expect = FORBIDDEN, desc = "Both or none have it.")
    @State
    public static class LastBuffer {
        private final BufferPool pool = pool(1);

        @Actor
        public void first(final II_Result result) {
            result.r1 = pool.acquire();
        }

        @Actor
        public void second(final II_Result result) {
            result.r2 = pool.acquire();
        }
    }

    /** The top of the common stack is taken and comes back, above another buffer than before. */
    @JCStressTest
    @Outcome(id = "[0-2], [0-2], 3", expect = ACCEPTABLE, desc = "Each buffer has one owner.")
    @Outcome(expect = FORBIDDEN, desc = "A buffer is lost or has two owners.")
    @State
    public static class SameTop {
        private final BufferPool pool = pool(3);

        @Actor
        public void taker(final III_Result result) {
            result.r1 = pool.acquire();
        }

        @Actor
        public void other(final III_Result result) {
            final int top = pool.acquire();
            result.r2 = pool.acquire();
            pool.release(top);
        }

        @Arbiter
        public void end(final III_Result result) {
            result.r3 = count(pool.newShare(), result.r1, result.r2);
        }
    }

    /** The same while a share takes a batch. */
    @JCStressTest
    @Outcome(id = "[0-2], (-1|[0-2]), 3", expect = ACCEPTABLE, desc = "Each buffer has one owner.")
    @Outcome(expect = FORBIDDEN, desc = "A buffer is lost or has two owners.")
    @State
    public static class SameTopOfABatch {
        private final BufferPool pool = pool(3);
        private final BufferPool.Share share = pool.newShare();

        @Actor
        public void loop(final III_Result result) {
            result.r1 = share.acquire();
        }

        @Actor
        public void other(final III_Result result) {
            final int top = pool.acquire();
            result.r2 = pool.acquire();
            if (top != BufferPool.NONE) {
                pool.release(top);
            }
        }

        @Arbiter
        public void end(final III_Result result) {
            result.r3 = count(share, result.r1, result.r2);
        }
    }

    /** Two threads give the same buffer back. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "One of them fails, and the buffer is free once.")
    @Outcome(expect = FORBIDDEN, desc = "Both or none fail, or the buffer is free twice.")
    @State
    public static class GivenBackTwice {
        private final BufferPool pool = pool(1);
        private final int id = pool.acquire();

        @Actor
        public void first(final III_Result result) {
            result.r1 = giveBack();
        }

        @Actor
        public void second(final III_Result result) {
            result.r2 = giveBack();
        }

        @Arbiter
        public void end(final III_Result result) {
            for (int i = 0; i < 2; i++) {
                result.r3 += pool.acquire() == BufferPool.NONE ? 0 : 1;
            }
        }

        private int giveBack() {
            try {
                pool.release(id);
                return 1;
            } catch (final IllegalStateException e) {
                return 0;
            }
        }
    }

    /** A buffer has been read before its next owner writes into it. */
    @JCStressTest
    @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "Read; not given back yet.")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Read, given back, and written again.")
    @Outcome(expect = FORBIDDEN, desc = "The owner before reads what the next one has written.")
    @State
    public static class NextOwner {
        private final BufferPool pool = new BufferPool(MEMORY.next(), 1, BUFFER_BYTES);
        private final int id = pool.acquire();

        {
            Memory.putInt(pool.headerAddress(id), 1);
        }

        @Actor
        public void owner(final II_Result result) {
            result.r1 = Memory.getInt(pool.headerAddress(id));
            pool.release(id);
        }

        @Actor
        public void nextOwner(final II_Result result) {
            result.r2 = pool.acquire();
            if (result.r2 != BufferPool.NONE) {
                Memory.putInt(pool.headerAddress(result.r2), 2);
            }
        }
    }
}
