package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a node counts as gone. */
@Tag("unit")
class PeerPresenceTest {
    private static final long SECOND = 1_000_000_000L;
    private final PeerPresence presence = new PeerPresence();

    private void fail(final int status, final long nowNs) {
        presence.onFailed(status, nowNs - SECOND / 5, nowNs);
    }

    @Test
    void shouldCountAsGoneWhenNothingArrivesForLongEnough() {
        // given
        fail(PmStatus.PEER_UNREACHABLE, SECOND);
        assertTrue(presence.isFailing());
        assertFalse(presence.isGone(SECOND));
        // when
        fail(PmStatus.PEER_UNREACHABLE, 5 * SECOND);
        assertFalse(presence.isGone(5 * SECOND));
        fail(PmStatus.NO_SUCH_CONTEXT, 6 * SECOND);
        // then
        assertTrue(presence.isGone(6 * SECOND));
        // when it is back
        presence.onArrived();
        // then
        assertFalse(presence.isGone(6 * SECOND));
        assertFalse(presence.isFailing());
        fail(PmStatus.PEER_UNREACHABLE, 7 * SECOND);
        assertFalse(presence.isGone(7 * SECOND));
    }

    @Test
    void shouldForgetWhatFailedLongAgo() {
        // given
        fail(PmStatus.PEER_UNREACHABLE, SECOND);
        // when
        fail(PmStatus.PEER_UNREACHABLE, 60 * SECOND);
        // then
        assertFalse(presence.isGone(60 * SECOND));
        assertFalse(presence.isGone(1_000 * SECOND));
    }

    @Test
    void shouldNotCallANodeGoneThatRefuses() {
        // when
        for (int second = 1; second < 20; second++) {
            fail(PmStatus.NOT_ALLOWED, second * SECOND);
            fail(PmStatus.PEER_FULL, second * SECOND);
            fail(PmStatus.FLOW_LIMIT, second * SECOND);
        }
        // then
        assertTrue(presence.isFailing(), "it passes nothing on");
        assertFalse(presence.isGone(20 * SECOND));
    }
}
