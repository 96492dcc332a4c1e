package io.hxb.flow.order;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.link.BufferPool;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link BufferStack}: any thread adds buffers, one takes them. */
public final class BufferStackStress {
    private BufferStackStress() {}

    /** Takes all: what each buffer contains, in their order, as decimal digits. */
    private static int takeAll(final BufferStack stack, final int[] contents) {
        int all = 0;
        int id = stack.takeAll();
        while (id != BufferPool.NONE && all < 1_000) {
            all = all * 10 + contents[id];
            id = stack.following(id);
        }
        return all;
    }

    /** Two threads add a buffer each. */
    @JCStressTest
    @Outcome(id = "1, 0, 12", expect = ACCEPTABLE, desc = "The first thread wakes the taker.")
    @Outcome(id = "0, 1, 21", expect = ACCEPTABLE, desc = "The second thread wakes the taker.")
    @Outcome(expect = FORBIDDEN, desc = "A buffer is lost, in twice, or the wrong thread wakes.")
    @State
    public static class TwoBuffers {
        private final BufferStack stack = new BufferStack(new int[2]);
        private final int[] contents = {1, 2};

        @Actor
        public void first(final III_Result result) {
            result.r1 = stack.push(0) ? 1 : 0;
        }

        @Actor
        public void second(final III_Result result) {
            result.r2 = stack.push(1) ? 1 : 0;
        }

        @Arbiter
        public void taker(final III_Result result) {
            result.r3 = takeAll(stack, contents);
        }
    }

    /** Buffers are taken in their order, with what was written into them. */
    @JCStressTest
    @Outcome(
            id = {"0, 12", "1, 2", "12, 0"},
            expect = ACCEPTABLE,
            desc = "Taken now or later, in order.")
    @Outcome(expect = FORBIDDEN, desc = "A buffer is lost, taken twice, or empty.")
    @State
    public static class Contents {
        private final BufferStack stack = new BufferStack(new int[2]);
        private final int[] contents = new int[2];

        @Actor
        public void adder() {
            contents[0] = 1;
            stack.push(0);
            contents[1] = 2;
            stack.push(1);
        }

        @Actor
        public void taker(final II_Result result) {
            result.r1 = takeAll(stack, contents);
        }

        @Arbiter
        public void takerLater(final II_Result result) {
            result.r2 = takeAll(stack, contents);
        }
    }

    /** A buffer is taken and added again while another thread adds one on top of it. */
    @JCStressTest
    @Outcome(
            id = {"1, 12", "1, 21"},
            expect = ACCEPTABLE,
            desc = "The other buffer was added after the taking.")
    @Outcome(id = "12, 1", expect = ACCEPTABLE, desc = "The other buffer was taken, too.")
    @Outcome(expect = FORBIDDEN, desc = "A buffer is lost or taken twice.")
    @State
    public static class AddedAgain {
        private final BufferStack stack = new BufferStack(new int[2]);
        private final int[] contents = {1, 2};

        {
            stack.push(0);
        }

        @Actor
        public void adder() {
            stack.push(1);
        }

        @Actor
        public void taker(final II_Result result) {
            result.r1 = takeAll(stack, contents);
            stack.push(0);
        }

        @Arbiter
        public void takerLater(final II_Result result) {
            result.r2 = takeAll(stack, contents);
        }
    }
}
