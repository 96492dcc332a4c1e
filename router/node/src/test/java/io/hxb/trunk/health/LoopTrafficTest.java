package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.RecordingLink;
import io.hxb.testing.TestFrames;
import io.hxb.trunk.TrunkSender;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a loop knows of frames that it has handed over. */
@Tag("unit")
class LoopTrafficTest {
    private static final int BODY_BYTES = 8_000;

    private final TestFrames frames = new TestFrames();
    private final RecordingLink link = new RecordingLink(0);
    private final LinkSender sender = link.newSender(256);
    private final LoopTraffic traffic =
            new LoopTraffic(new LinkSender[] {sender}, new TrunkSender[0], new int[] {0}, () -> {});

    private void send(final int count) {
        for (int i = 0; i < count; i++) {
            final long address = frames.frame(1, 0, BODY_BYTES);
            sender.offer(
                    Link.BROADCAST,
                    new OutgoingFrame().wrap(address, 64 + BODY_BYTES, token -> {}, 0));
        }
        sender.flush();
    }

    @Test
    void shouldCountFramesAsWaitingUntilTheNicHasSentThem() {
        // given
        send(100);
        assertEquals(100, traffic.waitingFrames(0), "nobody has looked");
        // when
        link.unsentBytes(40_000);
        traffic.sampleWaiting();
        // then
        assertEquals(40, traffic.waitingFrames(0));
        // and when
        send(3);
        assertEquals(43, traffic.waitingFrames(0), "handed over since");
        link.unsentBytes(0);
        traffic.sampleWaiting();
        assertEquals(0, traffic.waitingFrames(0));
    }
}
