package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a sender finds room in a ring, whatever its receiver publishes. */
@Tag("unit")
class DirectSendTest {
    private static final int CAPACITY_BYTES = 1 << 16;
    private static final int LENGTH_BYTES = 1_000;
    private static final int RECORD_BYTES = DirectRing.recordBytes(LENGTH_BYTES);

    private DirectMemory memory;
    private DirectPage page;
    private DirectSend send;

    @BeforeEach
    void makeRing() throws LinuxException {
        final int[] descriptors = new int[2];
        memory = DirectMemory.make(CAPACITY_BYTES, descriptors);
        Descriptors.close(descriptors[0]);
        Descriptors.close(descriptors[1]);
        page = new DirectPage(memory.pageAddress());
        page.initialize(11, 22, true);
        page.take(true);
        send = new DirectSend(memory);
        send.open();
    }

    @AfterEach
    void unmap() {
        send.close();
    }

    /** Sends until there is no room; returns the position after the last message. */
    private long fill(final int lengthBytes) {
        long position = 0;
        while (send.hasRoom(lengthBytes)) {
            send.append(lengthBytes, 0);
            position += DirectRing.recordBytes(lengthBytes);
        }
        return position;
    }

    private int looks() {
        int count = 1;
        while (!send.hasRoom(LENGTH_BYTES)) {
            count++;
            assertTrue(count < 10_000, "no room is found");
        }
        return count;
    }

    @Test
    void shouldFindRoomAtOnceThatItWasNotifiedOf() {
        // given
        fill(LENGTH_BYTES);
        // when
        page.released(RECORD_BYTES);
        page.releasedHint(RECORD_BYTES);
        // then
        assertEquals(1, looks());
        assertFalse(send.isBroken());
    }

    @Test
    void shouldFindAnyRoomByLookingSomeTimes() {
        // given
        fill(LENGTH_BYTES);
        for (int i = 1; i <= 100; i++) {
            // when
            page.released((long) i * RECORD_BYTES);
            // then: each time anew
            assertTrue(looks() <= DirectSend.LOOKS);
            send.append(LENGTH_BYTES, 0);
        }
        assertFalse(send.isBroken());
    }

    @Test
    void shouldFindAnyRoomAtOnceWhenItSleeps() {
        // given
        fill(LENGTH_BYTES);
        send.sleep().start(null);
        assertFalse(send.hasRoom(LENGTH_BYTES));
        // when
        page.released(RECORD_BYTES);
        // then
        assertTrue(send.hasRoom(LENGTH_BYTES));
        send.sleep().end();
    }

    @Test
    void shouldKnowWhetherItHasToLeaveTheRing() {
        // given
        fill(LENGTH_BYTES);
        assertFalse(send.hasRoomNow(LENGTH_BYTES));
        // when
        page.released(RECORD_BYTES);
        // then
        assertTrue(send.hasRoomNow(LENGTH_BYTES));
    }

    @Test
    void shouldNotAcceptThatMoreIsReleasedThanWasSent() {
        // given
        final long position = fill(LENGTH_BYTES);
        // when
        page.releasedHint(position + 8);
        // then
        assertFalse(send.hasRoom(LENGTH_BYTES));
        assertTrue(send.isBroken());
    }

    @Test
    void shouldIgnoreNotificationsFromBeforeItLooked() {
        // given
        final long position = fill(LENGTH_BYTES);
        page.releasedHint(RECORD_BYTES);
        page.released(position);
        assertTrue(send.hasRoomNow(CAPACITY_BYTES / 2));
        // when
        fill(LENGTH_BYTES);
        // then
        assertFalse(send.isBroken());
    }

    @Test
    void shouldFindRoomForTwoOfTheLongestMessagesInTheShortestRing() {
        // given: one fits after another that is released, whatever is published of it
        final int longest = CAPACITY_BYTES / 2 - 2 * DirectRing.HEADER_BYTES;
        assertTrue(DirectRing.isLongEnough(CAPACITY_BYTES, longest));
        long released = fill(longest);
        for (int i = 0; i < 100; i++) {
            assertFalse(send.hasRoom(longest));
            // when
            page.released(released);
            // then
            int count = 0;
            while (!send.hasRoom(longest)) {
                count++;
                assertTrue(count < DirectSend.LOOKS);
            }
            released += fill(longest);
        }
        assertFalse(send.isBroken());
    }
}
