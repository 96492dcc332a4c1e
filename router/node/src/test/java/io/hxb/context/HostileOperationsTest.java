package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.OperationRing;
import io.hxb.pm.shm.OutcomeRing;
import io.hxb.pm.shm.RemoteMemoryArea;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.SplittableRandom;

/** Applications that write nonsense into their memory for operations on remote memory. */
@Tag("property")
class HostileOperationsTest {
    private static final int REGION_BYTES = 64 << 10;
    private static final long TIMEOUT_NS = 20_000_000_000L;
    private static final ContextRequest CONTEXT = new ContextRequest(16, 1_408, 256, 0);
    private static final RemoteRequest REMOTE = new RemoteRequest(16, 16, 8);

    private FlowNode node;
    private Attachment hostile;
    private PmRemoteMemory good;
    private PmRegion shared;
    private PmRegion untouched;
    private long key;

    @BeforeEach
    void start() throws Exception {
        node = new FlowNode(3, 0.01);
        good = PmRemoteMemory.open(node.device.openContext(2));
        shared = node.device.openWritableRegion(REGION_BYTES);
        untouched = node.device.openWritableRegion(REGION_BYTES);
        key = good.share(shared, PmAccess.ALL);
        hostile = node.manager.attach(maxWaitNs -> node.turn());
    }

    @AfterEach
    void stop() {
        hostile.close();
        node.turns(50);
        node.close();
        assertEquals(0, node.pool.outstanding(), "buffers not given back");
    }

    private void assertOthersGoOn() {
        for (int at = 0; at < REGION_BYTES; at += Long.BYTES) {
            assertEquals(0, Memory.getLong(untouched.address() + at));
        }
        good.put(untouched, 0, new PmRemoteRegion(0, 2, key), 0, REGION_BYTES);
        assertEquals(PmStatus.OK, good.finish(TIMEOUT_NS));
    }

    @Test
    void shouldEndInAnOutcomeOrCloseTheContextWithAnyEntry() throws IOException {
        final SplittableRandom random = new SplittableRandom(11);
        final long[] numbers = {
            0, 1, -1, 8, REGION_BYTES, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 30
        };
        int closed = 0;
        int outcomes = 0;
        for (int run = 0; run < 300; run++) {
            // given
            final Attachment.ContextMemory context = hostile.openContext(5, CONTEXT);
            final RemoteMemoryArea area = hostile.openRemote(5, REMOTE);
            final Attachment.RegionMemory region = hostile.openRegion(REGION_BYTES, run % 2 == 0);
            final OperationRing ring = area.operationRing();
            final OutcomeRing done = area.outcomeRing();
            // when
            for (int i = 0; i < 8; i++) {
                ring.begin(
                                random.nextInt(20) - (i == 7 ? 2 : 0),
                                random.nextInt(8),
                                random.nextInt(16) == 0 ? random.nextInt() : 0,
                                random.nextInt(16) == 0 ? random.nextInt() : 2)
                        .local(
                                random.nextInt(3) == 0 ? random.nextInt(2_000) - 5 : region.id(),
                                number(random, numbers),
                                number(random, numbers))
                        .remote(
                                random.nextBoolean() ? key : random.nextLong(),
                                number(random, numbers))
                        .operands(random.nextLong(), random.nextLong())
                        .publish();
            }
            area.taken(random.nextLong());
            node.turns(100);
            // then
            final ControlMemory control =
                    new ControlMemory(context.controlAddress(), 16, context.deliveryEntries());
            if (control.state() == ControlMemory.CLOSED) {
                assertTrue(CloseReason.of(control.closeReason()).isViolation());
                closed++;
            }
            while (done.take()) {
                outcomes++;
            }
            hostile.closeRegion(region);
            hostile.closeContext(context);
            node.turns(100);
        }
        assertTrue(closed > 50, "contexts closed: " + closed);
        assertTrue(outcomes > 50, "outcomes: " + outcomes);
        assertOthersGoOn();
    }

    private static long number(final SplittableRandom random, final long[] numbers) {
        return numbers[random.nextInt(numbers.length)] + (random.nextInt(4) == 0 ? -8 : 0);
    }

    @Test
    void shouldRefuseWhatTheNodeCannotShareOrOpen() throws IOException {
        // given
        final Attachment.RegionMemory readOnly = hostile.openRegion(4_096, false);
        // when, then
        assertThrows(IOException.class, () -> hostile.share(readOnly.id(), PmAccess.WRITE));
        assertThrows(IOException.class, () -> hostile.share(readOnly.id(), 0));
        assertThrows(IOException.class, () -> hostile.share(readOnly.id(), 8));
        assertThrows(IOException.class, () -> hostile.share(readOnly.id() + 1, PmAccess.READ));
        assertThrows(IOException.class, () -> hostile.share(-1, PmAccess.READ));
        assertThrows(IOException.class, () -> hostile.revoke(key), "another's key");
        assertThrows(IOException.class, () -> hostile.openRemote(2, REMOTE), "another's context");
        assertThrows(IOException.class, () -> hostile.openRemote(99, REMOTE));
        assertThrows(IllegalArgumentException.class, () -> new RemoteRequest(17, 16, 8));
        assertThrows(IllegalArgumentException.class, () -> new RemoteRequest(16, 1 << 17, 8));
        assertThrows(IllegalArgumentException.class, () -> new RemoteRequest(16, 16, 7));
        assertOthersGoOn();
    }
}
