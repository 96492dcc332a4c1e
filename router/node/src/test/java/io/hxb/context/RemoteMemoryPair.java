package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmDevice;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmOutcome;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two applications of one node that use remote memory over flows that lose frames. */
abstract class RemoteMemoryPair {
    static final long TIMEOUT_NS = 20_000_000_000L;
    static final int REGION_BYTES = 1 << 20;
    static final int TURNS = 100_000;

    final PmOutcome outcome = new PmOutcome();
    final PmNotification notification = new PmNotification();
    FlowNode node;
    PmDevice other;
    PmRemoteMemory one;
    PmRemoteMemory two;
    PmRegion local;
    PmRegion shared;
    PmRemoteRegion remote;

    @BeforeEach
    void start() throws Exception {
        start(7);
    }

    void start(final int seed) throws Exception {
        node = new FlowNode(seed, 0.05);
        other = node.newDevice();
        one = PmRemoteMemory.open(node.device.openContext(1));
        two = PmRemoteMemory.open(other.openContext(2));
        local = node.device.openWritableRegion(REGION_BYTES);
        shared = other.openWritableRegion(REGION_BYTES);
        remote = new PmRemoteRegion(0, 2, two.share(shared, PmAccess.ALL));
    }

    @AfterEach
    void stop() {
        other.close();
        node.close();
        assertEquals(0, node.pool.outstanding(), "buffers not given back");
    }

    int status(final int operation) {
        assertTrue(operation >= 0, PmStatus.name(operation));
        return one.finish(TIMEOUT_NS);
    }
}
