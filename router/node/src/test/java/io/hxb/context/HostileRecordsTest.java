package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/** Frames of peers whose nodes send anything between the ends of remote memory. */
@Tag("property")
class HostileRecordsTest {
    private static final int REGION_BYTES = 64 << 10;
    private static final int BODY_BYTES = 1_400;
    private static final int RECORD_BYTES = 56;

    /** No flow has it, so that nothing is released. */
    private static final int NO_HANDLE = (1 << 21) - 1 & 127;

    private final Arena arena = Arena.ofConfined();
    private final long body = arena.allocate(BODY_BYTES, 8).address();
    private final SplittableRandom random = new SplittableRandom(5);
    private FlowNode node;
    private PmRemoteMemory good;
    private PmRegion shared;
    private PmRegion untouched;
    private long key;
    private long readKey;

    @BeforeEach
    void start() throws Exception {
        node = new FlowNode(3, 0);
        good =
                PmRemoteMemory.open(
                        node.device.openContext(2, PmContextOptions.DEFAULT.withPeerWaitNs(0)));
        PmRemoteMemory.open(node.device.openContext(7));
        shared = node.device.openWritableRegion(REGION_BYTES);
        untouched = node.device.openWritableRegion(REGION_BYTES);
        key = good.share(shared, PmAccess.ALL);
        readKey = good.share(untouched, PmAccess.READ);
    }

    @AfterEach
    void stop() {
        node.close();
        arena.close();
    }

    private long number() {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextLong();
            case 1 -> REGION_BYTES - random.nextInt(64);
            case 2 -> Long.MAX_VALUE - random.nextInt(64);
            case 3 -> -random.nextInt(64);
            case 4 -> Long.MIN_VALUE + random.nextInt(64);
            default -> random.nextInt(REGION_BYTES);
        };
    }

    /** Writes records whose lengths are those of messages; returns how many. */
    private int fill() {
        int records = 0;
        int at = 0;
        while (at < BODY_BYTES - 300 && random.nextInt(4) != 0) {
            final int dataBytes = random.nextInt(3) == 0 ? random.nextInt(200) : 0;
            final int length =
                    random.nextInt(10) == 0
                            ? random.nextInt(RECORD_BYTES)
                            : RECORD_BYTES + dataBytes;
            Memory.putInt(body + at, length);
            Memory.putInt(body + at + 4, 0);
            final long record = body + at + MessageRecordFlyweight.LENGTH;
            Memory.putLong(record, random.nextLong());
            Memory.putByte(record, random.nextInt(10) == 0 ? random.nextInt() : 1 + kind());
            Memory.putLong(record + 8, random.nextLong() >>> random.nextInt(64));
            Memory.putLong(record + 16, random.nextInt(3) == 0 ? readKey : key);
            Memory.putLong(record + 24, number());
            Memory.putLong(record + 32, random.nextBoolean() ? dataBytes : number());
            Memory.putLong(record + 40, number());
            Memory.putLong(record + 48, number());
            at += MessageRecordFlyweight.paddedLength(length);
            records++;
        }
        return records;
    }

    private int kind() {
        return random.nextBoolean() ? random.nextInt(7) : 15 + random.nextInt(2);
    }

    @Test
    void shouldWriteOnlyWhatAKeyAllowsWhateverArrives() {
        // given
        final PmNotification notification = new PmNotification();
        int taken = 0;
        for (int run = 0; run < 20_000; run++) {
            final int records = fill();
            final int kind = 1 + random.nextInt(2);
            final int source = random.nextInt(10) == 0 ? random.nextInt(1 << 16) : 7;
            // when
            final int answer =
                    records == 0
                            ? FlowListener.COPIED
                            : node.manager
                                    .delivery()
                                    .onFrame(
                                            new FlowEndpoints(
                                                    ContextKind.end(kind, 2),
                                                    node.manager.incarnation(2),
                                                    0,
                                                    ContextKind.end(kind, source & 15),
                                                    NO_HANDLE),
                                            0,
                                            body,
                                            BODY_BYTES,
                                            records);
            taken += answer == FlowListener.COPIED ? 1 : 0;
            node.turn();
            while (good.poll(notification) == PmStatus.OK) {
                assertTrue(notification.offset() >= 0 && notification.lengthBytes() >= 0);
                assertEquals(key, notification.key());
            }
        }
        // then
        assertTrue(taken > 1_000, "frames taken: " + taken);
        assertTrue(node.flows.counters().value(CounterType.REMOTE_MALFORMED_RECORDS) > 1_000);
        assertTrue(node.flows.counters().value(CounterType.REMOTE_REFUSED_REQUESTS) > 1_000);
        assertTrue(node.flows.counters().value(CounterType.REMOTE_PERFORMED_OPERATIONS) > 100);
        for (int at = 0; at < REGION_BYTES; at += Long.BYTES) {
            assertEquals(0, Memory.getLong(untouched.address() + at), "byte " + at);
        }
    }

    @Test
    void shouldTakeAnswersFromNobodyElse() {
        // given
        final PmRemoteRegion silent = new PmRemoteRegion(1, 3, key);
        final int get = good.get(silent, 0, untouched, 0, REGION_BYTES);
        node.turns(20);
        // when
        for (int run = 0; run < 20_000; run++) {
            final int records = fill();
            if (records > 0) {
                node.manager
                        .delivery()
                        .onFrame(
                                new FlowEndpoints(
                                        ContextKind.end(ContextKind.ANSWERS, 2),
                                        node.manager.incarnation(2),
                                        0,
                                        ContextKind.end(ContextKind.ANSWERS, 3),
                                        NO_HANDLE),
                                0,
                                body,
                                BODY_BYTES,
                                records);
            }
            node.turn();
        }
        // then
        assertTrue(get >= 0);
        for (int at = 0; at < REGION_BYTES; at += Long.BYTES) {
            assertEquals(0, Memory.getLong(untouched.address() + at), "byte " + at);
        }
        good.put(shared, 0, new PmRemoteRegion(0, 2, key), 0, 8);
        node.turns(200);
        assertTrue(good.unfinished() <= 2, "what is to be done here is done");
    }
}
