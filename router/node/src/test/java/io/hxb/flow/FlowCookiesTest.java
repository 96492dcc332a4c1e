package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

@Tag("unit")
class FlowCookiesTest {
    private static final long TIMEOUT_NS = 5_000_000_000L;
    @AutoClose private final Arena arena = Arena.ofConfined();
    @AutoClose private final FlowFixture flows = new FlowFixture();
    private final FlowCookies flowCookies = new FlowCookies(TIMEOUT_NS, 1, 2);
    private final FrameHeaderFlyweight frame =
            new FrameHeaderFlyweight()
                    .wrap(arena.allocate(FrameHeaderFlyweight.LENGTH, 8).address())
                    .clear()
                    .type(FrameType.DATA)
                    .source(3)
                    .sourceContext(4)
                    .sourceIncarnation(5)
                    .epoch(6);
    private final FlowContext context = flows.table.context(FlowFixture.CONTEXT);

    @Test
    void shouldHashAsThePublishedReferenceDoes() {
        // Source: the reference implementation with key and message of bytes 0, 1, 2 ...
        assertEquals(
                0x7127_512F_72F2_7CCEL,
                SipHash.hash(
                        0x0706_0504_0302_0100L,
                        0x0F0E_0D0C_0B0A_0908L,
                        0x0706_0504_0302_0100L,
                        0x0F0E_0D0C_0B0A_0908L,
                        0x1716_1514_1312_1110L,
                        0x1F1E_1D1C_1B1A_1918L));
    }

    @Test
    void shouldBeValidForThePeerTimeoutAndNotForTwiceAsLong() {
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            // given: any time, that of clocks that overflow too
            final long nowNs = i < 100 ? Long.MAX_VALUE - i * 100_000_000L : random.nextLong();
            final long issueNs = flowCookies.issueNs(nowNs);
            final int first = flowCookies.first(context, frame, issueNs);
            frame.sequence(first + random.nextInt(FlowCookies.MAX_FRAMES + 1));
            // when, then
            assertEquals(issueNs, flowCookies.issueOf(context, frame, nowNs));
            assertEquals(issueNs, flowCookies.issueOf(context, frame, nowNs + TIMEOUT_NS));
            final long lateNs = nowNs + flowCookies.lifetimeNs();
            assertEquals(FlowCookies.INVALID, flowCookies.issueOf(context, frame, lateNs));
            assertTrue(flowCookies.lifetimeNs() < 2 * TIMEOUT_NS);
        }
    }

    @Test
    void shouldBeValidForNobodyElseAndForNoOtherEpoch() {
        // given
        final int first = flowCookies.first(context, frame, flowCookies.issueNs(0));
        frame.sequence(first);
        assertNotEquals(FlowCookies.INVALID, flowCookies.issueOf(context, frame, 0));
        // when, then
        assertEquals(FlowCookies.INVALID, flowCookies.issueOf(context, frame.epoch(7), 0));
        assertEquals(
                FlowCookies.INVALID, flowCookies.issueOf(context, frame.epoch(6).source(2), 0));
        assertEquals(
                FlowCookies.INVALID,
                flowCookies.issueOf(context, frame.source(3).sourceContext(5), 0));
        frame.sourceContext(4).sourceIncarnation(6);
        assertEquals(FlowCookies.INVALID, flowCookies.issueOf(context, frame, 0));
        frame.sourceIncarnation(5).sequence(first - 1);
        assertEquals(FlowCookies.INVALID, flowCookies.issueOf(context, frame, 0));
        frame.sequence(first + FlowCookies.MAX_FRAMES + 1);
        assertEquals(FlowCookies.INVALID, flowCookies.issueOf(context, frame, 0));
    }
}
