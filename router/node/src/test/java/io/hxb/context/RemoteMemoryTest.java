package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteOptions;
import io.hxb.pm.rma.PmRemoteRegion;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Operations on remote memory of two applications over flows that lose frames. */
@Tag("simulation")
class RemoteMemoryTest extends RemoteMemoryPair {
    private static final int PUTS = 20;

    private final Random random = new Random(42);

    private void fill(final PmRegion region) {
        for (long at = 0; at < region.lengthBytes(); at += Long.BYTES) {
            Memory.putLong(region.address() + at, random.nextLong());
        }
    }

    private static void assertSame(
            final PmRegion expected,
            final long expectedOffset,
            final PmRegion actual,
            final long actualOffset,
            final long lengthBytes) {
        assertEquals(
                -1,
                expected.segment()
                        .asSlice(expectedOffset, lengthBytes)
                        .mismatch(actual.segment().asSlice(actualOffset, lengthBytes)));
    }

    private long value(final int operation) {
        assertTrue(operation >= 0, PmStatus.name(operation));
        assertEquals(PmStatus.OK, one.await(TIMEOUT_NS));
        assertEquals(PmStatus.OK, one.poll(outcome));
        assertEquals(operation, outcome.operation());
        assertEquals(PmStatus.OK, outcome.status());
        return outcome.value();
    }

    @Test
    void shouldPutBytesOfAnyLengthAnywhere() {
        // given
        final int[] lengths = {0, 1, 7, 8, 1_300, 1_301, 4_096, 100_001, REGION_BYTES};
        for (final int length : lengths) {
            fill(local);
            fill(shared);
            final byte guard = Memory.getByte(shared.address());
            final int from = random.nextInt(REGION_BYTES - length + 1);
            final int to = random.nextInt(REGION_BYTES - length + 1);
            // when
            assertEquals(PmStatus.OK, status(one.put(local, from, remote, to, length)));
            // then
            assertSame(local, from, shared, to, length);
            assertTrue(to == 0 || Memory.getByte(shared.address()) == guard);
        }
        assertTrue(node.output.lost > 0, "frames were lost");
        assertEquals(0, two.unfinished());
    }

    @Test
    void shouldGetBytesOfAnyLengthFromAnywhere() {
        // given
        final int[] lengths = {0, 1, 7, 8, 1_300, 1_301, 4_096, 100_001, REGION_BYTES};
        for (final int length : lengths) {
            fill(local);
            fill(shared);
            final int from = random.nextInt(REGION_BYTES - length + 1);
            final int to = random.nextInt(REGION_BYTES - length + 1);
            // when
            assertEquals(PmStatus.OK, status(one.get(remote, from, local, to, length)));
            // then
            assertSame(shared, from, local, to, length);
        }
        assertTrue(node.output.lost > 0, "frames were lost");
    }

    @Test
    void shouldReportAPutWhenAllOfItCanBeRead() {
        // given
        fill(local);
        int notified = 0;
        // when
        for (int i = 0; i < PUTS; i++) {
            assertTrue(one.putAndNotify(local, 0, remote, i * 50_000L, 50_000, -i) >= 0);
        }
        for (int turn = 0; turn < TURNS && notified < PUTS; turn++) {
            node.turn();
            while (two.poll(notification) == PmStatus.OK) {
                // then
                assertSame(local, 0, shared, notification.offset(), 50_000);
                assertEquals(-notified, notification.tag());
                assertEquals(notified * 50_000L, notification.offset());
                assertEquals(50_000, notification.lengthBytes());
                assertEquals(remote.key(), notification.key());
                assertEquals(0, notification.node());
                assertEquals(1, notification.context());
                notified++;
            }
        }
        assertEquals(PUTS, notified);
        assertEquals(PmStatus.OK, one.finish(TIMEOUT_NS));
    }

    @Test
    void shouldChangeNumbersAndReturnWhatTheyWere() {
        // given
        Memory.putLong(shared.address() + 64, 5);
        // when, then
        assertEquals(5, value(one.fetchAndAdd(remote, 64, 7)));
        assertEquals(12, value(one.fetchAndAdd(remote, 64, Long.MIN_VALUE)));
        assertEquals(Long.MIN_VALUE + 12, value(one.compareAndSwap(remote, 64, 12, 1)));
        assertEquals(Long.MIN_VALUE + 12, Memory.getLong(shared.address() + 64));
        assertEquals(
                Long.MIN_VALUE + 12, value(one.compareAndSwap(remote, 64, Long.MIN_VALUE + 12, 1)));
        assertEquals(1, Memory.getLong(shared.address() + 64));
    }

    @Test
    void shouldKeepTheValuesOfAtomicOperationsThatWereFinished() {
        // given
        Memory.putLong(shared.address() + 64, 5);
        final int put = one.put(local, 0, remote, 4_096, 100);
        final int first = one.fetchAndAdd(remote, 64, 1);
        final int second = one.compareAndSwap(remote, 64, 6, 8);
        // when
        assertEquals(PmStatus.OK, one.finish(TIMEOUT_NS));
        // then
        assertTrue(put >= 0);
        assertEquals(2, one.unfinished());
        assertEquals(5, value(first));
        assertEquals(6, value(second));
        assertEquals(0, one.unfinished());
        assertEquals(PmStatus.EMPTY, one.poll(outcome));
        assertEquals(PmStatus.OK, one.finish(0));
    }

    @Test
    void shouldWaitForOneOperationAndKeepTheOutcomesOfOthers() {
        // given
        final int put = one.put(local, 0, remote, 4_096, 100_000);
        // when
        assertEquals(PmStatus.OK, one.fetchAndAdd(remote, 64, 7, outcome, TIMEOUT_NS));
        // then
        assertEquals(0, outcome.value());
        assertEquals(PmStatus.OK, one.compareAndSwap(remote, 64, 7, 9, outcome, TIMEOUT_NS));
        assertEquals(7, outcome.value());
        assertEquals(1, one.unfinished());
        assertEquals(PmStatus.OK, one.get(remote, 64, local, 200_000, 8, TIMEOUT_NS));
        assertEquals(9, Memory.getLong(local.address() + 200_000));
        assertEquals(PmStatus.OK, one.put(local, 200_000, remote, 72, 8, TIMEOUT_NS));
        assertEquals(PmStatus.BAD_RANGE, one.fetchAndAdd(remote, 65, 1, outcome, TIMEOUT_NS));
        assertEquals(PmStatus.OK, one.poll(outcome));
        assertEquals(put, outcome.operation());
        assertEquals(0, one.unfinished());
    }

    @Test
    void shouldPerformAndEndOperationsInTheirOrder() {
        // given
        final int operations = 200;
        for (int i = 0; i < operations; i++) {
            Memory.putLong(local.address() + i * 8L, i);
        }
        // when
        final int[] begun = new int[operations];
        for (int i = 0; i < operations; i++) {
            begun[i] =
                    i % 2 == 0
                            ? one.put(local, i * 8L, remote, 0, 8)
                            : one.fetchAndAdd(remote, 0, 1_000);
        }
        // then
        for (int i = 0; i < operations; i++) {
            assertEquals(PmStatus.OK, one.await(TIMEOUT_NS));
            assertEquals(PmStatus.OK, one.poll(outcome));
            assertEquals(begun[i], outcome.operation());
            assertEquals(PmStatus.OK, outcome.status());
            assertEquals(i % 2 == 0 ? 0 : i - 1, outcome.value());
        }
    }

    @Test
    void shouldHoldOperationsAfterAFenceBack() {
        // given
        fill(shared);
        final byte[] before = shared.segment().toArray(ValueLayout.JAVA_BYTE);
        // when
        one.get(remote, 0, local, 0, 500_000);
        final int fence = one.fence(0, 2);
        one.put(local, 600_000, remote, 0, 400_000);
        // then
        assertTrue(fence > 0);
        assertEquals(PmStatus.OK, one.finish(TIMEOUT_NS));
        for (int i = 0; i < 500_000; i += 999) {
            assertEquals(before[i], Memory.getByte(local.address() + i));
        }
        assertSame(local, 600_000, shared, 0, 400_000);
    }

    @Test
    void shouldReportUpToAsManyOperationsAsAsked() throws Exception {
        // given
        final PmRemoteMemory small =
                PmRemoteMemory.open(node.device.openContext(3), new PmRemoteOptions(16, 16, 8));
        // when
        for (int i = 0; i < 13; i++) {
            assertTrue(small.fetchAndAdd(remote, 0, 1) >= 0);
        }
        // then: one destination has its share, and another one a place
        assertEquals(PmStatus.NO_BUFFERS, small.fetchAndAdd(remote, 0, 1));
        assertEquals(13, small.unfinished(remote.node(), remote.context()));
        for (int i = 0; i < 3; i++) {
            assertTrue(small.fence(0, 9) >= 0);
        }
        assertEquals(PmStatus.NO_BUFFERS, small.fence(0, 9));
        assertEquals(PmStatus.OK, small.finish(TIMEOUT_NS));
        assertEquals(PmStatus.NO_BUFFERS, small.put(local, 0, remote, 0, 200_000));
        for (int i = 0; i < 13; i++) {
            assertEquals(PmStatus.OK, small.poll(outcome));
            assertEquals(i, outcome.value());
        }
        while (small.poll(outcome) == PmStatus.OK) {
            assertEquals(0, outcome.value(), "a fence");
        }
        assertEquals(0, small.unfinished(remote.node(), remote.context()));
        assertEquals(PmStatus.OK, small.put(local, 0, remote, 0, 200_000) < 0 ? -1 : 0);
        assertEquals(PmStatus.OK, small.finish(TIMEOUT_NS));
    }

    @Test
    void shouldWaitWhileNotificationsAreNotTaken() throws Exception {
        // given
        final PmRemoteMemory three =
                PmRemoteMemory.open(other.openContext(3), new PmRemoteOptions(16, 16, 8));
        final PmRemoteRegion atThree = new PmRemoteRegion(0, 3, remote.key());
        for (int i = 0; i < 40; i++) {
            one.putAndNotify(local, 0, atThree, 0, 8, i);
        }
        // when
        node.turns(2_000);
        // then
        int done = 0;
        while (one.poll(outcome) == PmStatus.OK) {
            done++;
        }
        assertEquals(16, done, "those with a notification");
        int notified = 0;
        for (int turn = 0; turn < TURNS && notified < 40; turn++) {
            node.turn();
            if (three.poll(notification) == PmStatus.OK) {
                assertEquals(notified, notification.tag());
                notified++;
            }
        }
        assertEquals(40, notified);
        assertEquals(PmStatus.OK, one.finish(TIMEOUT_NS));
    }

    @Test
    void shouldServeWhileMessagesAreNotReceived() throws Exception {
        // given
        final PmContext sender = other.openContext(4);
        for (int i = 0; i < 400; i++) {
            final int slot = sender.claim(0, 1, 1_000);
            if (slot >= 0) {
                sender.send(slot, 1_000, 0);
            }
            node.turns(5);
        }
        // when, then
        assertTrue(sender.unfinishedSends() > 0, "context 1 holds up its senders");
        assertEquals(PmStatus.OK, status(one.get(remote, 0, local, 0, 100_000)));
        assertEquals(PmStatus.OK, status(one.put(local, 0, remote, 0, 100_000)));
    }

    @Test
    void shouldRefuseWhatTheKeyDoesNotAllow() throws Exception {
        // given
        fill(shared);
        final long first = Memory.getLong(shared.address());
        final PmRemoteRegion readable = new PmRemoteRegion(0, 2, two.share(shared, PmAccess.READ));
        final PmRemoteRegion writable = new PmRemoteRegion(0, 2, two.share(shared, PmAccess.WRITE));
        // when, then
        assertEquals(PmStatus.OK, status(one.get(readable, 0, local, 0, 100)));
        assertEquals(PmStatus.NO_ACCESS, status(one.put(local, 0, readable, 0, 100_000)));
        assertEquals(PmStatus.NO_ACCESS, status(one.fetchAndAdd(readable, 0, 1)));
        assertEquals(PmStatus.NO_ACCESS, status(one.compareAndSwap(writable, 0, first, 1)));
        assertEquals(PmStatus.NO_ACCESS, status(one.get(writable, 0, local, 0, 100)));
        assertEquals(first, Memory.getLong(shared.address()));
        assertTrue(node.flows.counters().value(CounterType.REMOTE_REFUSED_REQUESTS) >= 4);
        assertEquals(PmStatus.OK, status(one.put(local, 0, writable, 0, 8)));
    }

    @Test
    void shouldRefuseKeysThatNobodyHasGivenOut() {
        // given
        fill(shared);
        final long first = Memory.getLong(shared.address());
        for (final long key : new long[] {0, 1, -1, remote.key() + 1, ~remote.key()}) {
            final PmRemoteRegion nowhere = new PmRemoteRegion(0, 2, key);
            // when, then
            assertEquals(PmStatus.BAD_KEY, status(one.put(local, 0, nowhere, 0, 100_000)));
            assertEquals(PmStatus.BAD_KEY, status(one.putAndNotify(local, 0, nowhere, 0, 1, 1)));
            assertEquals(PmStatus.BAD_KEY, status(one.get(nowhere, 0, local, 0, 100_000)));
            assertEquals(PmStatus.BAD_KEY, status(one.fetchAndAdd(nowhere, 0, 1)));
        }
        assertEquals(first, Memory.getLong(shared.address()));
        assertEquals(PmStatus.EMPTY, two.poll(notification));
    }

    @Test
    void shouldRefuseTheKeyOfAnotherApplicationOfThatNode() throws Exception {
        // given
        final PmRegion own = node.device.openWritableRegion(4_096);
        final PmRemoteRegion mine = new PmRemoteRegion(0, 2, one.share(own, PmAccess.ALL));
        // when, then
        assertEquals(PmStatus.BAD_KEY, status(one.put(local, 0, mine, 0, 8)));
        assertEquals(
                PmStatus.OK, status(one.put(local, 0, new PmRemoteRegion(0, 1, mine.key()), 0, 8)));
    }

    @Test
    void shouldRefuseRangesThatAreNotInside() {
        // given
        fill(shared);
        final long first = Memory.getLong(shared.address());
        final long[] offsets = {
            REGION_BYTES - 7,
            REGION_BYTES,
            -1,
            -8,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE - 7
        };
        for (final long offset : offsets) {
            // when, then
            assertEquals(PmStatus.BAD_RANGE, status(one.put(local, 0, remote, offset, 8)));
            assertEquals(
                    PmStatus.BAD_RANGE, status(one.putAndNotify(local, 0, remote, offset, 8, 1)));
            assertEquals(PmStatus.BAD_RANGE, status(one.get(remote, offset, local, 0, 8)));
            assertEquals(PmStatus.BAD_RANGE, status(one.fetchAndAdd(remote, offset, 1)));
            assertEquals(PmStatus.BAD_RANGE, status(one.compareAndSwap(remote, offset, 0, 1)));
        }
        assertEquals(PmStatus.BAD_RANGE, status(one.fetchAndAdd(remote, 4, 1)), "not aligned");
        assertEquals(
                PmStatus.BAD_RANGE, status(one.put(local, 0, remote, 600_000, 500_000)), "its end");
        assertEquals(first, Memory.getLong(shared.address()));
        assertEquals(PmStatus.EMPTY, two.poll(notification));
        assertEquals(PmStatus.OK, status(one.put(local, 0, remote, REGION_BYTES, 0)));
    }

    @Test
    void shouldCheckWhatTheCallerGives() throws Exception {
        // given
        final PmRegion readOnly = node.device.openRegion(4_096);
        final PmRegion foreign = other.openWritableRegion(4_096);
        final PmRegion closed = node.device.openWritableRegion(4_096);
        closed.close();
        // when, then
        assertThrows(IllegalArgumentException.class, () -> one.get(remote, 0, readOnly, 0, 8));
        assertThrows(IllegalArgumentException.class, () -> one.put(foreign, 0, remote, 0, 8));
        assertThrows(IllegalStateException.class, () -> one.put(closed, 0, remote, 0, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> one.put(local, -1, remote, 0, 8));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> one.get(remote, 0, local, Long.MAX_VALUE - 3, 8));
        assertThrows(IllegalArgumentException.class, () -> one.put(local, 0, remote, 0, -1));
        assertThrows(
                IllegalArgumentException.class, () -> one.put(local, 0, remote, 0, (1L << 30) + 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> one.put(local, 0, new PmRemoteRegion(5, 2, 1), 0, 8));
        assertThrows(IllegalArgumentException.class, () -> one.fence(0, 99));
        assertThrows(IllegalArgumentException.class, () -> one.share(readOnly, PmAccess.WRITE));
        assertThrows(IllegalArgumentException.class, () -> one.share(local, 8));
        assertThrows(IllegalArgumentException.class, () -> one.share(foreign, PmAccess.READ));
        assertEquals(PmStatus.OK, status(one.put(readOnly, 0, remote, 0, 8)));
        assertEquals(1, one.unfinished() + 1);
    }

    @Test
    void shouldWriteNothingOnceAKeyIsRevoked() throws Exception {
        // given
        fill(local);
        one.put(local, 0, remote, 0, REGION_BYTES);
        node.turns(40);
        // when
        two.revoke(remote.key());
        shared.segment().fill((byte) 0);
        // then
        assertEquals(PmStatus.BAD_KEY, one.finish(TIMEOUT_NS));
        for (int at = 0; at < REGION_BYTES; at += 8) {
            assertEquals(0, Memory.getLong(shared.address() + at));
        }
        assertThrows(IOException.class, () -> two.revoke(remote.key()));
        assertEquals(PmStatus.BAD_KEY, status(one.get(remote, 0, local, 0, 8)));
    }

    @Test
    void shouldEndOperationsOnARegionThatIsClosed() throws Exception {
        // given
        fill(local);
        one.get(remote, 0, local, 0, REGION_BYTES);
        one.put(local, 0, remote, 0, REGION_BYTES);
        node.turns(40);
        // when
        shared.close();
        // then
        assertEquals(PmStatus.BAD_KEY, one.finish(TIMEOUT_NS));
        assertEquals(PmStatus.BAD_KEY, status(one.fetchAndAdd(remote, 0, 1)));
        final PmRegion next = other.openWritableRegion(REGION_BYTES);
        final PmRemoteRegion again = new PmRemoteRegion(0, 2, two.share(next, PmAccess.ALL));
        assertEquals(PmStatus.OK, status(one.put(local, 0, again, 0, 8)));
    }

    @Test
    void shouldGoOnWhenARegionIsClosedThatItReadsOrWrites() throws Exception {
        // given
        final PmRegion short1 = node.device.openWritableRegion(REGION_BYTES);
        one.get(remote, 0, short1, 0, REGION_BYTES);
        one.put(short1, 0, remote, 0, REGION_BYTES);
        node.turns(40);
        // when
        short1.close();
        // then
        assertEquals(PmStatus.OK, one.finish(TIMEOUT_NS));
        assertEquals(PmStatus.OK, status(one.put(local, 0, remote, 0, 8)));
    }
}
