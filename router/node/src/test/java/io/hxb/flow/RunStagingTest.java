package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FrameType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.ShortRing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class RunStagingTest {
    private static final int LENGTH = 40;
    private static final int RECORD_BYTES = ShortRing.recordBytes(LENGTH);

    /** Records of 48 bytes in a frame of 1,500. */
    private static final int A_FRAME = 29;

    private final FlowFixture fixture = new FlowFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private long stage(final int firstSlot, final int messages, final boolean isNewRun) {
        final long address = fixture.payloadAddress();
        for (int i = 0; i < messages; i++) {
            record(i, firstSlot + i, LENGTH);
        }
        return stage(address, messages * RECORD_BYTES, 1_000, isNewRun);
    }

    private void record(final int index, final int slot, final int lengthBytes) {
        final long record = fixture.payloadAddress() + (long) index * RECORD_BYTES;
        Memory.putLong(record, (long) slot << 32 | (long) slot << 16 | lengthBytes);
    }

    private long stage(
            final long address, final int lengthBytes, final int max, final boolean isNewRun) {
        return fixture.loop.stage(
                FlowFixture.CONTEXT,
                FlowFixture.PEER,
                FlowFixture.PEER_CONTEXT,
                address,
                lengthBytes,
                max,
                isNewRun);
    }

    private List<Integer> messagesOfFrames() {
        return fixture.sent(FrameType.DATA).stream().map(frame -> frame.messageCount).toList();
    }

    @Test
    void shouldFillFramesAndReportEachRun() {
        // given
        fixture.open(100);
        // when
        final long staged = stage(10, A_FRAME + 5, true);
        fixture.work(0);
        fixture.ack(FlowFixture.FIRST + 3, 100);
        fixture.work(0);
        // then
        assertEquals(StageResult.of(A_FRAME + 5, (A_FRAME + 5) * RECORD_BYTES), staged);
        assertEquals(List.of(A_FRAME, 5), messagesOfFrames());
        assertEquals(List.of("10+29:0", "39+5:0"), fixture.done);
        assertEquals(0, fixture.loop.framesInUse());
    }

    @Test
    void shouldPutTheNextMessagesOfARunIntoTheSameFrameButNotThoseOfAnother() {
        // given
        fixture.open(100);
        // when
        stage(10, 3, true);
        stage(13, 3, false);
        stage(20, 3, true);
        fixture.work(0);
        // then
        assertEquals(List.of(6, 3), messagesOfFrames());
    }

    @Test
    void shouldLeaveWhatComesBeforeTheFlowIsOpenToItsMessages() {
        // when
        final long before = stage(10, 3, true);
        fixture.submit(1, 40);
        fixture.work(0);
        fixture.accept(FlowFixture.PEER, 10);
        final long behindAMessage = stage(10, 3, true);
        fixture.work(0);
        // then
        assertEquals(StageResult.NONE, before);
        assertEquals(StageResult.NONE, behindAMessage);
        assertEquals(List.of(1), messagesOfFrames());
        assertTrue(stage(10, 3, true) > 0, "nothing waits any more");
    }

    @Test
    void shouldSendStagedFramesBeforeTheMessagesAfterThem() {
        // given
        fixture.open(100);
        // when
        stage(10, 3, true);
        fixture.submit(1, 1_000);
        final long behind = stage(20, 3, true);
        fixture.work(0);
        // then
        assertEquals(StageResult.NONE, behind);
        assertEquals(List.of(3, 1), messagesOfFrames());
    }

    @Test
    void shouldTakeNoMoreThanTheWindowHolds() {
        // given
        fixture.open(2);
        // when
        final long staged = stage(10, 3 * A_FRAME, true);
        fixture.work(0);
        // then
        assertEquals(2 * A_FRAME, StageResult.messages(staged));
        assertEquals(2 * A_FRAME * RECORD_BYTES, StageResult.lengthBytes(staged));
        assertEquals(List.of(A_FRAME, A_FRAME), messagesOfFrames());
    }

    @Test
    void shouldTakeNoMoreThanAskedFor() {
        fixture.open(100);
        stage(10, 5, true);
        final long staged = stage(fixture.payloadAddress(), 5 * RECORD_BYTES, 2, false);
        assertEquals(StageResult.of(2, 2 * RECORD_BYTES), staged);
    }

    @Test
    void shouldReportStagedRunsWhenTheFlowEnds() {
        // given
        fixture.open(1);
        stage(10, 3, true);
        fixture.work(0);
        fixture.isBlocked = true;
        fixture.ack(FlowFixture.FIRST + 2, 10);
        fixture.work(0);
        fixture.done.clear();
        stage(20, A_FRAME + 4, true);
        // when
        fixture.workFor(20_000 * FlowFixture.MILLISECOND);
        // then
        final int status = PmStatus.PEER_UNREACHABLE;
        assertEquals(List.of("20+29:" + status, "49+4:" + status), fixture.done);
        assertEquals(0, fixture.loop.framesInUse());
    }

    @Test
    void shouldRefuseRecordsThatCannotBe() {
        // given
        fixture.open(100);
        record(0, 1, LENGTH);
        record(1, 2, 257);
        final long address = fixture.payloadAddress();
        // then
        assertEquals(StageResult.MALFORMED, stage(address, 2 * RECORD_BYTES, 9, true));
        record(0, 1, LENGTH + 8);
        assertEquals(StageResult.MALFORMED, stage(address, RECORD_BYTES, 9, true));
        record(0, 1, 0xFFFF);
        assertEquals(StageResult.MALFORMED, stage(address, RECORD_BYTES, 9, true));
    }

    @Test
    void shouldNotSendFramesWithoutMessages() {
        // given
        fixture.open(100);
        record(0, 1, 0xFFFF);
        // when
        stage(fixture.payloadAddress(), RECORD_BYTES, 9, true);
        fixture.work(0);
        // then
        assertEquals(List.of(), messagesOfFrames());
        assertEquals(0, fixture.loop.framesInUse());
    }
}
