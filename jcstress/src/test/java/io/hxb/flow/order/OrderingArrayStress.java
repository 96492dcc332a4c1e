package io.hxb.flow.order;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link OrderingArray}: two loops put frames in, and either delivers. */
public final class OrderingArrayStress {
    /** Frame 1 of each test; the next ones wrap around. */
    private static final int FIRST = -1;

    private OrderingArrayStress() {}

    /** What a flow has delivered; its fields belong to the thread that drains. */
    private static final class Deliveries implements OrderingArray.Sink<Deliveries> {
        private final OrderingArray<Deliveries> array;
        private final int[] contents = new int[4];
        private int delivered;
        private int discarded;

        private Deliveries(final int slots) {
            array = new OrderingArray<>(slots, FIRST);
        }

        /** A frame arrives in a buffer; what {@link OrderingArray#store} returns. */
        private int arrive(final int frame, final int bufferId, final int content) {
            contents[bufferId] = content;
            final int result = array.store(FIRST + frame - 1, bufferId);
            if (result == OrderingArray.STORED) {
                array.drain(this, this);
            }
            return result;
        }

        @Override
        public boolean deliver(final Deliveries flow, final int bufferId) {
            delivered = delivered * 10 + contents[bufferId];
            return true;
        }

        @Override
        public void discard(final Deliveries flow, final int bufferId) {
            discarded = discarded * 10 + contents[bufferId];
        }

        @Override
        public void onEnded(final Deliveries flow) {}
    }

    /** Two loops bring copies of one frame. */
    @JCStressTest
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "The first copy is delivered.")
    @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The second copy is delivered.")
    @Outcome(expect = FORBIDDEN, desc = "Both copies or none, or the buffer is empty.")
    @State
    public static class Duplicate {
        private final Deliveries flow = new Deliveries(2);

        @Actor
        public void loop(final III_Result result) {
            result.r1 = flow.arrive(1, 0, 1);
        }

        @Actor
        public void otherLoop(final III_Result result) {
            result.r2 = flow.arrive(1, 1, 2);
        }

        @Arbiter
        public void end(final III_Result result) {
            result.r3 = flow.delivered;
        }
    }

    /** Two loops bring a frame each. */
    @JCStressTest
    @Outcome(id = "0, 0, 12", expect = ACCEPTABLE, desc = "Both are delivered in order.")
    @Outcome(expect = FORBIDDEN, desc = "A frame is lost, left behind, out of order, or empty.")
    @State
    public static class Order {
        private final Deliveries flow = new Deliveries(2);

        @Actor
        public void loop(final III_Result result) {
            result.r1 = flow.arrive(1, 0, 1);
        }

        @Actor
        public void otherLoop(final III_Result result) {
            result.r2 = flow.arrive(2, 1, 2);
        }

        @Arbiter
        public void end(final III_Result result) {
            result.r3 = flow.delivered;
        }
    }

    /** A copy of the first frame is late, while a frame that uses the same slot arrives. */
    @JCStressTest
    @Outcome(id = "1, 123", expect = ACCEPTABLE, desc = "The copy is refused.")
    @Outcome(id = "0, 423", expect = ACCEPTABLE, desc = "The copy was the first.")
    @Outcome(
            id = "0, 42",
            expect = ACCEPTABLE,
            desc = "The copy was the first, and delivered too late for the third to be sent.")
    @Outcome(expect = FORBIDDEN, desc = "The copy replaces a frame or is delivered besides.")
    @State
    public static class LateCopy {
        private final Deliveries flow = new Deliveries(2);

        @Actor
        public void loop() {
            flow.arrive(1, 0, 1);
            flow.arrive(2, 1, 2);
            if (flow.array.next() - FIRST > 0) {
                flow.arrive(3, 2, 3);
            }
        }

        @Actor
        public void otherLoop(final II_Result result) {
            result.r1 = flow.arrive(1, 3, 4);
        }

        @Arbiter
        public void end(final II_Result result) {
            result.r2 = flow.delivered;
        }
    }

    /** The flow ends while a frame arrives. */
    @JCStressTest
    @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "Delivered before the end.")
    @Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "Given back after the end.")
    @Outcome(expect = FORBIDDEN, desc = "The buffer is lost, or both delivered and given back.")
    @State
    public static class End {
        private final Deliveries flow = new Deliveries(2);

        @Actor
        public void loop(final III_Result result) {
            result.r1 = flow.arrive(1, 0, 1);
        }

        @Actor
        public void owner() {
            flow.array.end();
            flow.array.drain(flow, flow);
        }

        @Arbiter
        public void end(final III_Result result) {
            result.r2 = flow.delivered;
            result.r3 = flow.discarded;
        }
    }
}
