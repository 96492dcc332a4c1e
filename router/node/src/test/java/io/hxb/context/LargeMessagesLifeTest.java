package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Long messages whose sender or receiver ends in the middle, over flows that lose frames. */
@Tag("simulation")
class LargeMessagesLifeTest {
    private static final int LENGTH = 1_000_003;
    private static final int TURNS = 200_000;
    private static final PmLargeMessages.Limits LIMITS = new PmLargeMessages.Limits(8, 4, 1 << 30);

    private FlowNode node;
    private PmDevice other;
    private PmRegion region;
    private PmContext sending;
    private PmContext receiving;
    private Recorder sent;
    private Recorder received;
    private PmLargeMessages from;
    private PmLargeMessages to;

    @BeforeEach
    void start() throws Exception {
        node = new FlowNode(11, 0.05);
        other = node.newDevice();
        region = node.device.openRegion(2 * LENGTH);
        for (long at = 0; at < region.lengthBytes() - Long.BYTES; at += Long.BYTES) {
            Memory.putLong(region.address() + at, at * 0x9E37_79B9_7F4A_7C15L);
        }
        openSender();
        openReceiver();
    }

    private void openSender() throws Exception {
        sending = node.device.openContext(1, PmContextOptions.DEFAULT.withPeerWaitNs(0));
        sent = new Recorder();
        from = new PmLargeMessages(sending, sent, LIMITS);
    }

    private void openReceiver() throws Exception {
        receiving = other.openContext(2);
        received = new Recorder();
        to = new PmLargeMessages(receiving, received, LIMITS);
    }

    @AfterEach
    void stop() {
        other.close();
        node.close();
        assertEquals(0, node.pool.outstanding(), "buffers not given back");
    }

    private void until(final String what, final java.util.function.BooleanSupplier isReached) {
        for (int turn = 0; turn < TURNS && !isReached.getAsBoolean(); turn++) {
            node.turn();
            from.poll();
            to.poll();
        }
        assertTrue(isReached.getAsBoolean(), what);
    }

    private void sendHalf() {
        assertTrue(from.send(0, 2, region, 3, LENGTH, 7) >= 0);
        until("half has arrived", () -> to.incompleteBytes() > LENGTH / 2);
    }

    @Test
    void shouldTellTheSenderWhenTheReceiverClosesInTheMiddleAndSendToTheNextOne() throws Exception {
        // given
        sendHalf();
        // when
        receiving.close();
        until("the sender knows", () -> from.unfinishedTransfers() == 0);
        // then
        assertTrue(
                sent.statuses.equals(List.of(PmStatus.PEER_RESTARTED))
                        || sent.statuses.equals(List.of(PmStatus.NO_SUCH_CONTEXT)),
                () -> sent.statuses.toString());
        openReceiver();
        from.send(0, 2, region, 5, LENGTH, 8);
        until("the next one arrives", () -> !received.statuses.isEmpty());
        assertEquals(List.of(PmStatus.OK), received.statuses);
        assertEquals(-1, region.segment().asSlice(5, LENGTH).mismatch(received.last));
    }

    @Test
    void shouldEndTheMessageOfASenderThatIsOpenedAnew() throws Exception {
        // given
        sendHalf();
        // when
        sending.close();
        node.turns(100);
        openSender();
        assertTrue(from.send(0, 2, region, 1, LENGTH, 9) >= 0);
        until("both have ended", () -> received.statuses.size() == 2);
        // then
        assertEquals(List.of(PmStatus.PEER_RESTARTED, PmStatus.OK), received.statuses);
        assertEquals(-1, region.segment().asSlice(1, LENGTH).mismatch(received.last));
        assertEquals(0, to.incompleteBytes());
        until("the sender knows", () -> from.unfinishedTransfers() == 0);
        assertEquals(List.of(PmStatus.OK), sent.statuses);
    }

    /** Assembles what arrives. */
    private static final class Recorder implements PmLargeHandler {
        private final List<Integer> statuses = new ArrayList<>();
        private MemorySegment last;

        @Override
        public MemorySegment onStart(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag) {
            return MemorySegment.ofArray(new byte[(int) lengthBytes]);
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag,
                final MemorySegment target,
                final int status) {
            statuses.add(status);
            last = target;
        }

        @Override
        public void onSent(final long transfer, final int status) {
            statuses.add(status);
        }
    }
}
