package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** What a receiver makes of a ring, whatever its sender writes there. */
@Tag("unit")
class DirectReceiveTest {
    private static final int CAPACITY_BYTES = 1 << 16;
    private static final int MAX_LENGTH_BYTES = 4_000;
    private static final int MAX_HELD = 64;
    private static final int NODE = 7;
    private static final int PEER = 3;

    private final PmMessage message = new PmMessage();
    private final int[] signals = signals();
    private DirectMemory own;
    private DirectPage page;
    private DirectRing ring;
    private DirectReceive receive;

    private static int[] signals() {
        try {
            return SignalSocket.pair();
        } catch (final LinuxException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void makeRing() throws LinuxException {
        final int[] descriptors = new int[2];
        own = DirectMemory.make(CAPACITY_BYTES, descriptors);
        page = new DirectPage(own.pageAddress());
        page.initialize(11, 22, false);
        ring = new DirectRing(own.recordsAddress(), CAPACITY_BYTES);
        final DirectMemory theirs =
                DirectMemory.map(CAPACITY_BYTES, descriptors[0], descriptors[1], signals[0]);
        Descriptors.close(descriptors[0]);
        Descriptors.close(descriptors[1]);
        receive = new DirectReceive(PEER, theirs, MAX_LENGTH_BYTES, MAX_HELD);
        receive.begin();
    }

    @AfterEach
    void unmap() {
        receive.close();
        own.close();
        Descriptors.close(signals[1]);
    }

    private long send(final int lengthBytes, final int tag) {
        Memory.fill(ring.payloadAddress(), lengthBytes, tag);
        ring.append(lengthBytes, tag);
        return ring.position();
    }

    private long take() {
        assertTrue(receive.isReady());
        receive.take(message, NODE, ReceivedMessages.ringBits(0));
        return ReceivedMessages.position(message.handle());
    }

    @Test
    void shouldReleaseInOrderWhateverTheOrderOfReleases() {
        // given
        send(10, 1);
        final long second = send(20, 2);
        final long third = send(30, 3);
        final long a = take();
        final long b = take();
        final long c = take();
        // when
        receive.release(c);
        receive.release(b);
        // then
        assertEquals(0, page.released());
        receive.release(a);
        assertEquals(third, page.released());
        assertTrue(second < third);
        assertFalse(receive.isHeld(a));
        assertFalse(receive.isHeld(c + 1));
        assertEquals(PEER, message.sourceContext());
        assertEquals(NODE, message.sourceNode());
    }

    @Test
    void shouldReleaseWhatHasNoMessageWithTheMessageBeforeIt() {
        // given
        send(10, 1);
        final long number = take();
        ring.skip(100);
        ring.leave();
        // when
        assertFalse(receive.isReady());
        assertEquals(0, page.released());
        receive.release(number);
        // then
        assertEquals(ring.position(), page.released());
        assertFalse(receive.isBeforeNode());
    }

    @Test
    void shouldNotifyTheSenderOfEachEighthOfTheRingThatIsReleased() {
        // given
        final int recordBytes = DirectRing.recordBytes(32);
        long published = 0;
        int times = 0;
        for (long sent = recordBytes; sent <= 4L * CAPACITY_BYTES; sent += recordBytes) {
            send(32, 1);
            // when
            receive.release(take());
            // then
            assertEquals(sent, page.released());
            assertTrue(sent - page.releasedHint() < CAPACITY_BYTES / 8);
            times += page.releasedHint() == published ? 0 : 1;
            published = page.releasedHint();
        }
        assertTrue(times >= 30 && times <= 32, () -> "notified at " + page.releasedHint());
    }

    @Test
    void shouldNotifyTheSenderOfWhatWasHeldInOneGo() {
        // given
        final long[] numbers = new long[8];
        for (int i = 0; i < numbers.length; i++) {
            send(2_000, i);
            numbers[i] = take();
        }
        // when
        for (int i = numbers.length - 1; i > 0; i--) {
            receive.release(numbers[i]);
        }
        // then
        assertEquals(0, page.releasedHint());
        receive.release(numbers[0]);
        assertEquals(ring.position(), page.releasedHint());
        assertEquals(ring.position(), page.released());
    }

    @Test
    void shouldTakeNoMoreThanMayBeHeld() {
        // given
        for (int i = 0; i <= MAX_HELD; i++) {
            send(8, i);
        }
        long first = -1;
        for (int i = 0; i < MAX_HELD; i++) {
            final long number = take();
            first = first < 0 ? number : first;
        }
        // when
        assertFalse(receive.isReady());
        assertTrue(receive.isFull());
        receive.release(first);
        // then
        assertTrue(receive.isReady());
        take();
        assertEquals(MAX_HELD, message.tag());
    }

    @Test
    void shouldGiveUpARingWithALengthThatCannotBe() {
        for (final int head :
                new int[] {
                    MAX_LENGTH_BYTES + 2, Integer.MAX_VALUE, -2, -12, -100_000, Integer.MIN_VALUE
                }) {
            // when
            Memory.putLong(ring.payloadAddress() - DirectRing.HEADER_BYTES, head & 0xFFFF_FFFFL);
            // then
            assertFalse(receive.isReady(), "head " + head);
            assertEquals(DirectPage.GIVEN_UP, page.state(), "head " + head);
            assertFalse(receive.isBeforeNode());
            assertTrue(receive.isOver());
        }
    }

    @Test
    void shouldStayInTheRingWhateverIsWrittenThere() {
        for (long seed = 0; seed < 2_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            // given: heads that are often plausible
            for (int offset = 0; offset < CAPACITY_BYTES; offset += Long.BYTES) {
                final int head =
                        switch (random.nextInt(4)) {
                            case 0 -> random.nextInt();
                            case 1 -> -8 * random.nextInt(64);
                            default -> random.nextInt(200);
                        };
                Memory.putLong(own.recordsAddress() + offset, head & 0xFFFF_FFFFL);
            }
            // when
            for (int i = 0; i < 200 && receive.isReady(); i++) {
                final long number = take();
                // then
                assertTrue(message.lengthBytes() <= MAX_LENGTH_BYTES);
                long sum = 0;
                for (int at = 0; at < message.lengthBytes(); at++) {
                    sum += Memory.getByte(message.address() + at);
                }
                assertTrue(sum != Long.MIN_VALUE);
                receive.release(number);
            }
        }
    }

    @Test
    void shouldGiveUpARingThatIsShorterThanItsMessages() throws LinuxException {
        for (final int lengthBytes : new int[] {CAPACITY_BYTES / 2 - 8, CAPACITY_BYTES / 2 - 7}) {
            // given
            final int[] descriptors = new int[2];
            try (DirectMemory theirs = DirectMemory.make(CAPACITY_BYTES, descriptors)) {
                final DirectPage offered = new DirectPage(theirs.pageAddress());
                offered.initialize(1, 2, false);
                final DirectReceives receives =
                        new DirectReceives(NODE, lengthBytes, MAX_HELD, new ReceivedMessages(16));
                // when
                receives.take(
                        PEER, DirectMemory.map(CAPACITY_BYTES, descriptors[0], descriptors[1], -1));
                // then
                final boolean isLongEnough = 2 * (lengthBytes + 8) <= CAPACITY_BYTES;
                assertEquals(
                        isLongEnough ? DirectPage.TAKEN : DirectPage.GIVEN_UP, offered.state());
                receives.close();
                Descriptors.close(descriptors[0]);
                Descriptors.close(descriptors[1]);
            }
        }
    }

    @Test
    void shouldNotTakeAPageThatIsNone() throws LinuxException {
        // given
        final int[] descriptors = new int[2];
        final DirectMemory zeros = DirectMemory.make(CAPACITY_BYTES, descriptors);
        final DirectMemory theirs =
                DirectMemory.map(CAPACITY_BYTES, descriptors[0], descriptors[1], -1);
        Descriptors.close(descriptors[0]);
        Descriptors.close(descriptors[1]);
        // when
        try (DirectReceive other = new DirectReceive(PEER, theirs, MAX_LENGTH_BYTES, MAX_HELD)) {
            // then
            assertEquals(DirectPage.GIVEN_UP, new DirectPage(zeros.pageAddress()).state());
            other.begin();
            assertFalse(other.isReady());
            assertTrue(other.isOver());
        }
        zeros.close();
    }

    @Test
    void shouldKnowTheBeginByItsIdAlone() {
        // given
        ring.leave();
        assertFalse(receive.isReady());
        final long payload = own.recordsAddress() + CAPACITY_BYTES / 2;
        // then
        Memory.putLong(payload, 11);
        Memory.putLong(payload + Long.BYTES, 23);
        assertFalse(receive.isBegin(payload));
        Memory.putLong(payload + Long.BYTES, 22);
        assertTrue(receive.isBegin(payload));
    }

    @Test
    void shouldBeOverWhenASenderThatIsGoneHasBeenRead() {
        // given
        send(5, 6);
        ring.leave();
        assertTrue(receive.isReady());
        receive.release(take());
        assertFalse(receive.isReady());
        assertFalse(receive.isOver());
        // when
        receive.onSenderGone();
        // then: all of it has been read
        assertTrue(receive.isOver());
    }

    @Test
    void shouldNotForgetAnOfferedRingBeforeItsBeginComes() throws LinuxException {
        // given
        final int[] descriptors = new int[2];
        try (DirectMemory mine = DirectMemory.make(CAPACITY_BYTES, descriptors)) {
            new DirectPage(mine.pageAddress()).initialize(1, 2, false);
            final DirectMemory theirs =
                    DirectMemory.map(CAPACITY_BYTES, descriptors[0], descriptors[1], -1);
            Descriptors.close(descriptors[0]);
            Descriptors.close(descriptors[1]);
            new DirectRing(mine.recordsAddress(), CAPACITY_BYTES).append(5, 6);
            try (DirectReceive late = new DirectReceive(PEER, theirs, MAX_LENGTH_BYTES, MAX_HELD)) {
                // when
                late.onSenderGone();
                // then
                assertFalse(late.isOver());
                late.begin();
                assertTrue(late.isReady());
                late.take(message, NODE, ReceivedMessages.ringBits(0));
                assertFalse(late.isOver());
                late.release(ReceivedMessages.position(message.handle()));
                assertTrue(late.isOver());
            }
        }
    }

    @Test
    void shouldForgetARingWhoseSenderIsReplacedBeforeItsBeginAlone() throws LinuxException {
        // given
        final int[] descriptors = new int[2];
        try (DirectMemory mine = DirectMemory.make(CAPACITY_BYTES, descriptors)) {
            new DirectPage(mine.pageAddress()).initialize(1, 2, false);
            final DirectMemory theirs =
                    DirectMemory.map(CAPACITY_BYTES, descriptors[0], descriptors[1], -1);
            Descriptors.close(descriptors[0]);
            Descriptors.close(descriptors[1]);
            try (DirectReceive late = new DirectReceive(PEER, theirs, MAX_LENGTH_BYTES, MAX_HELD)) {
                late.onSenderGone();
                receive.onSenderGone();
                send(9, 1);
                // when
                late.onSenderReplaced();
                receive.onSenderReplaced();
                // then
                assertTrue(late.isOver());
                assertTrue(receive.isReady());
            }
        }
    }
}
