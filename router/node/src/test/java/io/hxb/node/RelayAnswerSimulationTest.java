package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.sim.SimFaults;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestFrames;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** A relay answers frames that go no further, and never with more bytes than they have. */
@Tag("simulation")
class RelayAnswerSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MS = 1_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int RELAY = 1;
    private static final int FRAMES = 50;

    private final TestFrames frames = new TestFrames();

    @Test
    void shouldAnswerNothingThatIsShorterThanTheAnswer() {
        // a frame of 64 bytes is answered by one, and sealed both have 24 more
        assertEquals(FRAMES, answers(SecurityConfig.Mode.NONE, 0));
        assertEquals(0, answers(SecurityConfig.Mode.AUTHENTICATE, 0));
        assertEquals(
                FRAMES,
                answers(SecurityConfig.Mode.AUTHENTICATE, FrameHeaderFlyweight.FLAG_SEALED));
    }

    private long answers(final SecurityConfig.Mode mode, final int flags) {
        final ClusterConfig config =
                ClusterConfig.of("sim", SHAPE, Backend.UDP, LinkPlan.udp(2, 1, 20_000))
                        .withSecurity(
                                mode == SecurityConfig.Mode.NONE
                                        ? SecurityConfig.DEFAULT
                                        : new SecurityConfig(mode, List.of("key")));
        final SimFaults faults = SimFaults.NONE.withDelay(10_000, 0);
        try (SimCluster cluster = new SimCluster(1, config, faults, 512, SimApplication.SLOTS)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND));
            final LinkSender sender = cluster.members.getFirst().links[0].newSender(8);
            for (int i = 0; i < FRAMES; i++) {
                assertTrue(offer(sender, config, flags));
                sender.flush();
                cluster.runUntil(() -> false, 5 * MS);
            }
            return cluster.members
                    .get(RELAY)
                    .counters()
                    .value(CounterType.FORWARD_UNREACHABLE_SENT_FRAMES);
        }
    }

    // It has crossed as many links as it may when it comes to the relay.
    private boolean offer(final LinkSender sender, final ClusterConfig config, final int flags) {
        final long address = frames.frame(SHAPE.coordinates(3), 1, 0);
        final FrameHeaderFlyweight header =
                new FrameHeaderFlyweight()
                        .wrap(address)
                        .type(FrameType.OPEN)
                        .flags(flags)
                        .hopLimit(1)
                        .order(DimensionOrder.DEFAULT)
                        .clusterId(config.clusterId())
                        .source(SHAPE.coordinates(0))
                        .destination(SHAPE.coordinates(3));
        final int lengthBytes = FrameHeaderFlyweight.frameLength(header.address());
        assertEquals(flags == 0 ? 64 : 64 + SealFlyweight.LENGTH, lengthBytes);
        return sender.offer(1, new OutgoingFrame().wrap(address, lengthBytes, frames, 0));
    }
}
