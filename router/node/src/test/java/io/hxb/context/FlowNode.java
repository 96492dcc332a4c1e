package io.hxb.context;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.IpConfig;
import io.hxb.config.LinkPlan;
import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowSizes;
import io.hxb.flow.FlowTable;
import io.hxb.link.BufferPool;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmDevice;
import io.hxb.topology.Shape;

/** A node with contexts over real flows, from it to itself, that lose frames. */
final class FlowNode implements AutoCloseable {
    static final int FRAME_BYTES = 1500;
    private static final int BUFFERS = 512;
    private static final int BUFFER_BYTES = 2048;
    private static final int CONTEXTS = 16;
    private static final int QUOTA_FRAMES = 64;

    final BufferPool pool;
    final ContextManager manager;
    final ContextLoop contexts;
    final FlowLoop flows;
    final LoopbackOutput output;
    final PmDevice device;
    private final SharedMemory memory;
    private final FlowTable table;
    private long nowNs;

    FlowNode(final long seed, final double loss) throws Exception {
        memory = ContextManager.createReceivePool((long) BUFFERS * BUFFER_BYTES, false);
        pool = new BufferPool(memory.address(), BUFFERS, BUFFER_BYTES);
        final BufferPool.Share share = pool.newShare();
        final ClusterConfig cluster =
                ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                        .withContext(new ContextConfig(CONTEXTS, QUOTA_FRAMES));
        manager =
                new ContextManager(new ContextParts(cluster, 0, 100, 1, FRAME_BYTES), pool, memory);
        table =
                new FlowTable(
                        FlowConfig.DEFAULT,
                        IpConfig.DEFAULT,
                        FlowSizes.of(FRAME_BYTES, CONTEXTS, 64),
                        Shape.parse("2"),
                        0,
                        pool,
                        manager.delivery());
        output = new LoopbackOutput(pool, share, seed, loss);
        flows = new FlowLoop(table, output, share);
        contexts = manager.newLoop(0, flows, flows.counters());
        device = newDevice();
    }

    /** Another application of the node. */
    PmDevice newDevice() {
        return PmDevice.over(manager.attach(maxWaitNs -> turn()));
    }

    int turn() {
        nowNs += 20_000;
        return contexts.doWork(nowNs) + flows.doWork(nowNs) + output.deliver(flows);
    }

    void turns(final int count) {
        for (int i = 0; i < count; i++) {
            turn();
        }
    }

    @Override
    public void close() {
        device.close();
        turns(10);
        contexts.close();
        table.close();
        manager.close();
        memory.close();
    }
}
