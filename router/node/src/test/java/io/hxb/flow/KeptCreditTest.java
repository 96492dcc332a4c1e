package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FrameType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Sources that take turns at one context, as ranks of MPI do, and nodes that carry out operations
 * of groups.
 */
@Tag("unit")
class KeptCreditTest {
    private static final int FIRST = FlowFixture.FIRST;
    private static final int QUOTA_FRAMES = 64;
    private static final int KEPT_FRAMES = 8;

    @AutoClose private final FlowFixture flows = new FlowFixture();
    private final int[] next = new int[16];

    private void open(final int node) {
        flows.receiveOpen(node, FlowFixture.PEER_INCARNATION, 0);
        flows.work(0);
        exchange(node, 1);
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

    /** The source reports that it has nothing to send. */
    private void giveBack(final int node) {
        flows.receiveProbe(node, FIRST + next[node], 0);
        flows.work(0);
    }

    private int windowWhenItAsks(final int node) {
        flows.sent.clear();
        flows.receiveProbe(node, FIRST + next[node], 1);
        flows.work(0);
        assertEquals(node, flows.last(FrameType.ACK).node);
        return flows.last(FrameType.ACK).windowFrames;
    }

    @Test
    void shouldKeepAFewFramesForASourceThatHasGivenItsWindowBack() {
        // given: two sources, of which one gives its window back while the other goes on
        open(1);
        open(2);
        exchange(1, 200);
        exchange(2, 200);
        giveBack(1);
        // when
        exchange(2, 200);
        // then
        assertEquals(QUOTA_FRAMES - KEPT_FRAMES, windowWhenItAsks(2), "all that is not kept");
        assertEquals(KEPT_FRAMES, windowWhenItAsks(1), "it need not wait for a recall");
    }

    @Test
    void shouldKeepHalfOfAllAtMost() {
        // given: more sources than frames could be kept for
        for (int node = 1; node < next.length; node++) {
            open(node);
            giveBack(node);
        }
        // when
        exchange(1, 400);
        // then
        final int window = windowWhenItAsks(1);
        assertTrue(window > KEPT_FRAMES && window <= QUOTA_FRAMES / 2, "it has " + window);
        // and those that come back first have what is kept, and others wait
        for (int node = 2; node < 6; node++) {
            assertTrue(windowWhenItAsks(node) > 0, "source " + node);
        }
    }

    @Test
    void shouldGiveNoneMoreThanItsPartWhereThatIsEnough() {
        // given: a context that may have 128 frames, and two sources
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.loop.openContext(
                FlowFixture.CONTEXT,
                FlowFixture.INCARNATION,
                new ContextTerms(2 * QUOTA_FRAMES, false, 0, FlowRights.ALL));
        open(1);
        open(2);
        giveBack(1);
        // when
        exchange(2, 1_000);
        // then
        assertEquals(QUOTA_FRAMES, windowWhenItAsks(2));
        exchange(1, 8);
        assertTrue(windowWhenItAsks(1) >= 16, "the other one has left enough");
    }

    @Test
    void shouldAskASourceThatHasGoneEverMoreRarely() {
        // given: a source that has all there is, and is gone, and one that waits for some of it
        open(1);
        exchange(1, 400);
        flows.receiveOpen(2, FlowFixture.PEER_INCARNATION, 0);
        flows.data(2, FIRST);
        flows.work(0);
        flows.sent.clear();
        // when
        int waited = 0;
        for (int ms = 0; ms < 5_000; ms++) {
            flows.receiveProbe(2, FIRST + 1, 1);
            flows.workFor(FlowFixture.MILLISECOND);
            waited++;
        }
        // then
        final long asked =
                flows.sent.stream()
                        .filter(
                                frame ->
                                        frame.type == FrameType.ACK
                                                && frame.node == 1
                                                && frame.windowFrames == 0)
                        .count();
        assertTrue(asked > 4 && asked < 20, asked + " times in " + waited + " ms");
    }

    @Test
    void shouldKeepNothingForSourcesThatHaveEnded() {
        // given
        open(1);
        open(2);
        giveBack(2);
        flows.receiveOpen(2, FlowFixture.PEER_INCARNATION + 1, 0);
        flows.data(2, FIRST, 0, FlowFixture.PEER_INCARNATION + 1, FlowFixture.INCARNATION);
        flows.work(0);
        flows.delivered.forEach(flows::release);
        flows.delivered.clear();
        flows.work(0);
        // when
        exchange(1, 400);
        // then
        final int other = QUOTA_FRAMES - windowWhenItAsks(1);
        assertTrue(other <= 16, "kept for one source, not for two: " + other);
        flows.loop.closeContext(FlowFixture.CONTEXT);
        assertEquals(0, flows.table.credit().lentFrames());
    }
}
