package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.IpConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowSizes;
import io.hxb.flow.FlowTable;
import io.hxb.link.BufferPool;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;

/** Contexts over real flows, from a node to itself, with loss. */
@Tag("simulation")
class ContextFlowTest {
    private static final int BUFFERS = 512;
    private static final int BUFFER_BYTES = 2048;
    private static final int FRAME_BYTES = 1500;
    private static final int CONTEXTS = 16;
    private static final int QUOTA_FRAMES = 64;

    private final PmMessage message = new PmMessage();
    private SharedMemory memory;
    private BufferPool pool;
    private ContextManager manager;
    private ContextLoop contexts;
    private FlowLoop flows;
    private FlowTable table;
    private LoopbackOutput output;
    private PmDevice device;
    private long nowNs;

    @BeforeEach
    void start() throws Exception {
        memory = ContextManager.createReceivePool((long) BUFFERS * BUFFER_BYTES, false);
        pool = new BufferPool(memory.address(), BUFFERS, BUFFER_BYTES);
        final BufferPool.Share share = pool.newShare();
        manager =
                new ContextManager(
                        new ContextParts(cluster(), 0, 100, 1, FRAME_BYTES), pool, memory);
        table =
                new FlowTable(
                        FlowConfig.DEFAULT,
                        IpConfig.DEFAULT,
                        FlowSizes.of(FRAME_BYTES, CONTEXTS, 64),
                        Shape.parse("2"),
                        0,
                        pool,
                        manager.delivery());
        output = new LoopbackOutput(pool, share, 7, 0.05);
        flows = new FlowLoop(table, output, share);
        contexts = manager.newLoop(0, flows, flows.counters());
        device = PmDevice.over(manager.attach(maxWaitNs -> turn()));
    }

    private static ClusterConfig cluster() {
        return ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                .withContext(new ContextConfig(CONTEXTS, QUOTA_FRAMES));
    }

    private int turn() {
        nowNs += 20_000;
        return contexts.doWork(nowNs) + flows.doWork(nowNs) + output.deliver(flows);
    }

    @AfterEach
    void stop() {
        device.close();
        turn();
        contexts.close();
        table.close();
        manager.close();
        memory.close();
    }

    private void turns(final int count) {
        for (int i = 0; i < count; i++) {
            turn();
        }
    }

    @Test
    void shouldDeliverInOrderWhileMessagesAreHeldAndFramesLost() throws Exception {
        // given
        final PmContext one = device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(64));
        final PmContext two = device.openContext(2);
        final ArrayDeque<Long> held = new ArrayDeque<>();
        int sent = 0;
        int received = 0;
        // when
        for (int step = 0; received < 20_000 && step < 400_000; step++) {
            final int slot = sent < 20_000 ? one.claim(0, 2, 700) : PmStatus.NO_BUFFERS;
            if (slot >= 0) {
                one.sendBuffer(slot).putInt(0, sent);
                one.send(slot, sent % 5 == 0 ? 700 : 4, sent);
                sent++;
            }
            turn();
            while (two.receive(message) == PmStatus.OK) {
                assertEquals(received, message.tag());
                assertEquals(received, message.buffer().getInt(0));
                received++;
                held.add(message.handle());
            }
            while (held.size() > 20) {
                two.release(step % 2 == 0 ? held.pollFirst() : held.pollLast());
            }
        }
        held.forEach(two::release);
        turns(50_000);
        // then
        assertEquals(20_000, received);
        assertTrue(output.lost > 500, "nothing was lost");
        assertEquals(0, one.unfinishedSends());
        assertEquals(PmStatus.EMPTY, two.pollEvent(new PmEvent()));
        assertEquals(0, pool.outstanding());
    }

    @RepeatedTest(100)
    void shouldKeepOrderWhateverIsSentHowever(final RepetitionInfo info) throws Exception {
        final long seed = info.getCurrentRepetition();
        new MixedTraffic(seed).run(device, this::turn);
        assertTrue(flows.counters().value(CounterType.FLOW_SHARED_FRAMES) > 10, "seed " + seed);
        assertTrue(output.lost > 10, "seed " + seed);
    }

    @Test
    void shouldNotifyTheSenderWhenTheReceiverIsReplaced() throws Exception {
        // given
        final PmContext one = device.openContext(1);
        final PmContext before = device.openContext(2);
        send(one, 1);
        turns(100);
        assertEquals(PmStatus.OK, before.receive(message));
        // when
        before.close();
        final PmContext after = device.openContext(2);
        send(one, 2);
        turns(100_000);
        // then
        final PmEvent event = new PmEvent();
        int events = 0;
        while (one.pollEvent(event) == PmStatus.OK) {
            assertEquals(PmStatus.PEER_RESTARTED, event.status());
            assertEquals(2, event.context());
            events++;
        }
        assertEquals(1, events, "the first message was not released, and the context is another");
        assertEquals(0, one.unfinishedSends());
        send(one, 3);
        turns(100_000);
        for (int tag = 2; tag <= 3; tag++) {
            assertEquals(PmStatus.OK, after.receive(message));
            assertEquals(tag, message.tag());
            after.release(message);
        }
        turns(10);
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldFillFramesWhileTheApplicationIsAhead() throws Exception {
        // given: twice as many messages as a turn takes, and one more
        final PmContext one = device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(1024));
        final PmContext two = device.openContext(2);
        send(one, -1);
        turns(100);
        final long before = flows.counters().value(CounterType.FLOW_SENT_FRAMES);
        for (int i = 0; i < 513; i++) {
            send(one, i);
        }
        // when
        turns(4);
        // then: records of 16 bytes, 89 to a frame; 5 full ones and the rest
        assertEquals(6, flows.counters().value(CounterType.FLOW_SENT_FRAMES) - before);
        turns(20_000);
        assertEquals(0, one.unfinishedSends());
        int received = 0;
        while (two.receive(message) == PmStatus.OK) {
            assertEquals(received - 1, message.tag());
            two.release(message);
            received++;
        }
        assertEquals(514, received);
        turns(10);
    }

    private static void send(final PmContext from, final int tag) {
        final int slot = from.claim(0, 2, 8);
        assertEquals(PmStatus.OK, from.send(slot, 8, tag));
    }

    @Test
    void shouldReopenWhileMessagesAreUnderWay() throws Exception {
        final PmContext two = device.openContext(2);
        for (int round = 0; round < 200; round++) {
            final PmContext one = device.openContext(1);
            for (int i = 0; i < 100; i++) {
                send(one, i);
            }
            turns(round % 7);
            one.close();
            while (two.receive(message) == PmStatus.OK) {
                two.release(message);
            }
        }
        two.close();
        turns(100_000);
        assertEquals(0, manager.openContexts());
        assertEquals(0, pool.outstanding());
    }
}
