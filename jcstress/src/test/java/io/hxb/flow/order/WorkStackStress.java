package io.hxb.flow.order;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** {@link WorkStack}: any thread adds nodes, one takes them. */
public final class WorkStackStress {
    private WorkStackStress() {}

    private static final class Flow extends WorkStack.Node {
        private final int number;

        /** What happened to it; volatile, as {@link WorkStack#push} asks for. */
        private volatile int need;

        private Flow(final int number) {
            this.number = number;
        }
    }

    /** Takes all: the numbers of the nodes in their order, as decimal digits. */
    private static int takeAll(final WorkStack stack) {
        int numbers = 0;
        Flow flow = (Flow) stack.takeAll();
        while (flow != null && numbers < 1_000) {
            numbers = numbers * 10 + flow.number;
            flow = (Flow) flow.take();
        }
        return numbers;
    }

    /** Two threads add a node each. */
    @JCStressTest
    @Outcome(id = "1, 0, 12", expect = ACCEPTABLE, desc = "The first thread wakes the taker.")
    @Outcome(id = "0, 1, 21", expect = ACCEPTABLE, desc = "The second thread wakes the taker.")
    @Outcome(expect = FORBIDDEN, desc = "A node is lost, in twice, or the wrong thread wakes.")
    @State
    public static class TwoNodes {
        private final WorkStack stack = new WorkStack();
        private final Flow one = new Flow(1);
        private final Flow two = new Flow(2);

        @Actor
        public void first(final III_Result result) {
            result.r1 = stack.push(one) ? 1 : 0;
        }

        @Actor
        public void second(final III_Result result) {
            result.r2 = stack.push(two) ? 1 : 0;
        }

        @Arbiter
        public void taker(final III_Result result) {
            result.r3 = takeAll(stack);
        }
    }

    /** Two threads add the same node. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "One of them has added it.")
    @Outcome(expect = FORBIDDEN, desc = "The node is lost or in twice.")
    @State
    public static class SameNode {
        private final WorkStack stack = new WorkStack();
        private final Flow flow = new Flow(1);

        @Actor
        public void first(final III_Result result) {
            result.r1 = stack.push(flow) ? 1 : 0;
        }

        @Actor
        public void second(final III_Result result) {
            result.r2 = stack.push(flow) ? 1 : 0;
        }

        @Arbiter
        public void taker(final III_Result result) {
            result.r3 = takeAll(stack);
        }
    }

    /** A need that comes up while the node is being taken is met now or later. */
    @JCStressTest
    @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "Still in: the taker sees the need.")
    @Outcome(
            id = {"1, 0, 1", "1, 1, 1"},
            expect = ACCEPTABLE,
            desc = "Added again: the taker will see the need, if it has not seen it already.")
    @Outcome(expect = FORBIDDEN, desc = "The need is forgotten.")
    @State
    public static class NeedWhileTaken {
        private final WorkStack stack = new WorkStack();
        private final Flow flow = new Flow(1);

        {
            stack.push(flow);
        }

        @Actor
        public void adder(final III_Result result) {
            flow.need = 1;
            result.r1 = stack.push(flow) ? 1 : 0;
        }

        @Actor
        public void taker(final III_Result result) {
            takeAll(stack);
            result.r2 = flow.need;
        }

        @Arbiter
        public void takerLater(final III_Result result) {
            result.r3 = takeAll(stack);
        }
    }
}
