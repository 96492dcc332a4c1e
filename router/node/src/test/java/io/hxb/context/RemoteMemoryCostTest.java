package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.pm.PmDevice;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmOutcome;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;
import io.hxb.testing.Allocations;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operations on remote memory cost: allocation per operation, at both ends. */
@Tag("unit")
class RemoteMemoryCostTest {
    private static final int REGION_BYTES = 1 << 16;
    private static final int LONG_BYTES = 5_000;
    private static final int MOST_AT_ONCE = 250;
    private static final int WARM_UP = 40_000;
    private static final int OPERATIONS = 20_000;

    private final PmOutcome outcome = new PmOutcome();
    private final PmNotification notification = new PmNotification();
    private FlowNode node;
    private PmDevice other;
    private PmRemoteMemory one;
    private PmRemoteMemory two;
    private PmRegion local;
    private PmRemoteRegion remote;

    /** Begins an operation; below 0 if there is no place for it. */
    @FunctionalInterface
    private interface Operation {
        int begin();
    }

    @BeforeEach
    void start() throws Exception {
        node = new FlowNode(7, 0);
        other = node.newDevice();
        one = PmRemoteMemory.open(node.device.openContext(1));
        two = PmRemoteMemory.open(other.openContext(2));
        local = node.device.openWritableRegion(REGION_BYTES);
        final PmRegion shared = other.openWritableRegion(REGION_BYTES);
        remote = new PmRemoteRegion(0, 2, two.share(shared, PmAccess.ALL));
    }

    @AfterEach
    void stop() {
        other.close();
        node.close();
    }

    /** Performs operations, some at once; none is left afterwards. */
    private void perform(final Operation operation, final int count, final int atOnce) {
        int begun = 0;
        int done = 0;
        while (done < count) {
            while (begun < count && begun - done < atOnce && operation.begin() >= 0) {
                begun++;
            }
            node.turn();
            node.contexts.prepareToSleep();
            node.contexts.awake();
            while (one.poll(outcome) == PmStatus.OK) {
                assertEquals(PmStatus.OK, outcome.status());
                done++;
            }
            while (two.poll(notification) == PmStatus.OK) {
                assertEquals(remote.key(), notification.key());
            }
        }
    }

    private void assertNothingAllocated(final Operation operation) {
        // given: tables that grow with what is under way have grown
        perform(operation, WARM_UP, MOST_AT_ONCE);
        for (final int atOnce : new int[] {1, 64}) {
            perform(operation, WARM_UP, atOnce);
            // when: once in a while the JIT compiler makes an object that it had done without
            Allocations.awaitNone(() -> perform(operation, OPERATIONS, atOnce));
        }
    }

    @Test
    void shouldAllocateNothingForShortPuts() {
        assertNothingAllocated(() -> one.put(local, 0, remote, 8, 8));
    }

    @Test
    void shouldAllocateNothingForShortGets() {
        assertNothingAllocated(() -> one.get(remote, 0, local, 8, 8));
    }

    @Test
    void shouldAllocateNothingForPutsOfSeveralFrames() {
        assertNothingAllocated(() -> one.put(local, 0, remote, 8, LONG_BYTES));
    }

    @Test
    void shouldAllocateNothingForGetsOfSeveralFrames() {
        assertNothingAllocated(() -> one.get(remote, 0, local, 8, LONG_BYTES));
    }

    @Test
    void shouldAllocateNothingForPutsWithNotifications() {
        assertNothingAllocated(() -> one.putAndNotify(local, 0, remote, 8, 8, 4));
    }

    @Test
    void shouldAllocateNothingForAtomicOperations() {
        assertNothingAllocated(() -> one.fetchAndAdd(remote, 0, 1));
        assertNothingAllocated(() -> one.compareAndSwap(remote, 8, 0, 0));
    }

    @Test
    void shouldAllocateNothingForFences() {
        assertNothingAllocated(() -> one.fence(0, 2));
    }
}
