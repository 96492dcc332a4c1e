package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FrameType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sources that take turns at one context, as nodes do that exchange parts of operations. */
@Tag("unit")
class OwnContextCreditTest {
    private static final int FIRST = FlowFixture.FIRST;
    private static final int QUOTA_FRAMES = 64;
    private static final int OWN_CONTEXT = 0;

    @AutoClose private final FlowFixture flows = new FlowFixture();
    private final int[] next = new int[8];

    private void open(final int node) {
        flows.receiveOpen(node, FlowFixture.PEER_INCARNATION, 0);
        flows.work(0);
    }

    /** Messages of a source that the context takes at once, so that it earns a wide window. */
    private void exchange(final int node, final int messages) {
        for (int i = 0; i < messages; i++) {
            flows.data(node, FIRST + next[node]++);
            flows.work(0);
            flows.delivered.forEach(flows::release);
            flows.delivered.clear();
        }
        flows.workFor(FlowFixture.MILLISECOND);
    }

    private void start(final int context) {
        flows.context = context;
        if (context != FlowFixture.CONTEXT) {
            flows.table.openContext(
                    context,
                    FlowFixture.INCARNATION,
                    flows.loop,
                    new ContextTerms(QUOTA_FRAMES, false, 0, FlowRights.ALL));
        }
        for (int node = 1; node <= 2; node++) {
            open(node);
            exchange(node, 200);
        }
    }

    /** The first source gives its window back while the other goes on; returns what that gets. */
    private int windowOfOther() {
        flows.receiveProbe(1, FIRST + next[1], 0);
        flows.work(0);
        exchange(2, 200);
        return flows.last(FrameType.ACK).windowFrames;
    }

    private int windowWhenItAsksAgain() {
        flows.sent.clear();
        flows.receiveProbe(1, FIRST + next[1], 1);
        flows.work(0);
        assertEquals(1, flows.last(FrameType.ACK).node);
        return flows.last(FrameType.ACK).windowFrames;
    }

    @Test
    void shouldKeepAShareForASourceThatHasGivenItsWindowBack() {
        // given
        start(OWN_CONTEXT);
        // when
        final int other = windowOfOther();
        // then
        assertTrue(other <= QUOTA_FRAMES / 2, "the other one has " + other);
        assertTrue(windowWhenItAsksAgain() > 0, "it need not wait for a recall");
    }

    @Test
    void shouldLetTheOtherHaveWhatOneHasGivenBackAtContextsOfApplications() {
        // given
        start(FlowFixture.CONTEXT);
        // when
        final int other = windowOfOther();
        // then
        assertTrue(other > QUOTA_FRAMES / 2, "the other one has " + other);
    }
}
