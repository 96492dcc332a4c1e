package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.linux.EventFd;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.TakenEvents;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

/** Scribbles over all that an application can write, while others go on. */
@Tag("property")
class ContextFuzzTest {
    private static final int ROUNDS = 600;
    private static final int RINGS = 512;
    private static final int SHORTS = RINGS + 16 * 64 + 16 * 16;

    private final PmMessage message = new PmMessage();
    private final Set<CloseReason> provoked = EnumSet.noneOf(CloseReason.class);

    @Test
    void shouldNotHarmOthersWhateverAnApplicationWrites() throws Exception {
        final long seed = Long.getLong("hxb.seed", System.nanoTime());
        final Random random = new Random(seed);
        try (TestNode node = new TestNode(512, 1);
                PmDevice device = node.invoked();
                PmContext good = device.openContext(1);
                PmContext victim = device.openContext(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                attack(node, random, good);
                pingPong(device, good, victim, round);
            }
            // then
            for (int i = 0; i < 3; i++) {
                device.poll();
            }
            final String about = "seed " + seed;
            assertEquals(2, node.manager.openContexts(), about);
            assertEquals(0, node.pool.outstanding(), about);
            assertTrue(
                    node.loop.counters().value(CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS)
                            > ROUNDS / 4,
                    about);
            assertTrue(
                    TakenEvents.of(node.loop.counters().events())
                            .contains(RecordedEvent.CONTEXT_INVALID),
                    about);
            for (final CloseReason reason : CloseReason.values()) {
                // HostileOperationsTest provokes that of remote memory.
                assertTrue(
                        !reason.isViolation()
                                || reason == CloseReason.BAD_OPERATION
                                || provoked.contains(reason),
                        () -> "never provoked: " + reason + ", " + about);
            }
        }
    }

    @Test
    void shouldWaitForTheMessagesOfARunThatHasBegun() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext receiver = device.openContext(2);
                Attachment attachment = node.manager.attach(maxWaitNs -> node.loop.doWork(0))) {
            // given a run that begins after the ring's first 64 bytes, without a message yet
            final Attachment.ContextMemory memory =
                    attachment.openContext(3, new ContextRequest(16, 256, 2048, 0));
            final long entry = memory.controlAddress() + RINGS;
            final long ring = memory.controlAddress() + SHORTS;
            Memory.putInt(entry + 20, 2);
            Memory.putInt(entry + 28, -1);
            Memory.putLong(entry + 32, 64);
            Memory.putLongRelease(entry, 1);
            node.loop.doWork(0);
            // when
            Memory.putLong(ring + 256 + 64, 8L);
            Memory.putLong(ring + 256 + 72, 4711);
            Memory.putLongRelease(ring, 80);
            node.loop.doWork(0);
            // then
            assertEquals(0, node.loop.counters().value(CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS));
            assertEquals(PmStatus.OK, receiver.receive(message));
            assertEquals(4711, Memory.getLong(message.address()));
            receiver.release(message);
            attachment.closeContext(memory);
        }
    }

    private void attack(final TestNode node, final Random random, final PmContext good)
            throws Exception {
        final Attachment attachment = node.manager.attach(maxWaitNs -> node.loop.doWork(0));
        final ContextRequest request = new ContextRequest(16, 256, 2048, 0);
        final Attachment.ContextMemory memory = attachment.openContext(3, request);
        if (random.nextBoolean()) {
            attachment.openRegion(4096, false);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            final int slot = good.claim(0, 3, 16);
            if (slot >= 0) {
                good.send(slot, 16, i);
            }
        }
        turn(node, memory);
        for (int i = 0; i < 20; i++) {
            switch (random.nextInt(5)) {
                case 0 -> scribble(random, memory);
                case 1 -> submit(random, memory, i);
                case 2 -> release(random, memory, i);
                case 3 -> appendShorts(random, memory);
                default -> EventFd.signal(memory.wakeUps().node());
            }
            turn(node, memory);
            if (random.nextInt(4) == 0 && node.loop.prepareToSleep()) {
                node.loop.clearWake();
                node.loop.awake();
            }
        }
        attachment.closeContext(memory);
        attachment.close();
        node.loop.doWork(0);
        node.loop.doWork(0);
    }

    private void turn(final TestNode node, final Attachment.ContextMemory memory) {
        final CounterType violations = CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS;
        final long before = node.loop.counters().value(violations);
        node.loop.doWork(0);
        if (node.loop.counters().value(violations) > before) {
            final ControlMemory control =
                    new ControlMemory(memory.controlAddress(), 16, memory.deliveryEntries());
            provoked.add(CloseReason.of(control.closeReason()));
        }
    }

    private static void scribble(final Random random, final Attachment.ContextMemory memory) {
        for (int i = random.nextInt(200); i > 0; i--) {
            final long offset = random.nextLong(memory.controlBytes() / 8) * 8;
            final long value =
                    switch (random.nextInt(3)) {
                        case 0 -> random.nextLong();
                        case 1 -> random.nextInt(64);
                        default -> ((1L + random.nextInt(32)) << 32) | random.nextInt(600);
                    };
            Memory.putLong(memory.controlAddress() + offset, value);
        }
    }

    // Entries that look right, at the positions the node will look at next.
    private static void submit(
            final Random random, final Attachment.ContextMemory memory, final int count) {
        for (int position = 0; position < count; position++) {
            final long entry = memory.controlAddress() + RINGS + (position & 15) * 64L;
            final boolean isBadSlot = random.nextInt(10) == 0;
            Memory.putInt(entry + 8, isBadSlot ? random.nextInt() : random.nextInt(4));
            Memory.putInt(entry + 12, random.nextInt(10) == 0 ? random.nextInt() : 8);
            final boolean isAbsurd = random.nextInt(10) == 0;
            Memory.putInt(entry + 16, isAbsurd ? random.nextInt() : random.nextInt(2));
            Memory.putInt(entry + 20, random.nextInt(10) == 0 ? random.nextInt() : 3);
            Memory.putInt(entry + 28, random.nextInt(5) == 0 ? random.nextInt(3) : 0);
            Memory.putLong(entry + 32, random.nextLong() >> random.nextInt(64));
            Memory.putLong(entry + 40, random.nextInt(40) == 0 ? random.nextInt(2048) : 0);
            Memory.putLongRelease(entry, position + 1);
        }
    }

    // A run of short messages, nearly right.
    private static void appendShorts(final Random random, final Attachment.ContextMemory memory) {
        final long ring = memory.controlAddress() + SHORTS;
        final long entry = memory.controlAddress() + RINGS;
        Memory.putInt(entry + 16, 0);
        Memory.putInt(entry + 20, random.nextInt(10) == 0 ? random.nextInt() : 3);
        Memory.putInt(entry + 28, -1);
        Memory.putLong(entry + 32, random.nextInt(5) == 0 ? random.nextInt() : 0);
        Memory.putLong(entry + 40, 0);
        int end = 0;
        for (int i = random.nextInt(8); i > 0; i--) {
            final boolean isBad = random.nextInt(20) == 0;
            final int lengthBytes = isBad ? random.nextInt(1 << 16) : random.nextInt(64);
            final int slot = random.nextInt(20);
            Memory.putLong(ring + 256 + end, (long) i << 32 | slot << 16 | lengthBytes);
            end += (8 + Math.min(lengthBytes, 64) + 7) & -8;
        }
        final boolean isAbsurd = random.nextInt(10) == 0;
        Memory.putLongRelease(entry, 1);
        Memory.putLongRelease(ring, isAbsurd ? random.nextLong() >> random.nextInt(64) : end);
    }

    private static void release(
            final Random random, final Attachment.ContextMemory memory, final int count) {
        final long releases = memory.controlAddress() + SHORTS + 256 + 16 * 64 + 2048 * 32;
        for (int position = 0; position < count; position++) {
            final int id = random.nextInt(4) == 0 ? -1 : random.nextInt(520) - 4;
            Memory.putLongRelease(
                    releases + position * 8L, ((position + 1L) << 32) | (id & 0xFFFF_FFFFL));
        }
        assertTrue(memory.controlBytes() >= ControlMemory.lengthBytes(16, 2048));
    }

    private void pingPong(
            final PmDevice device, final PmContext from, final PmContext to, final int value) {
        final int slot = from.claim(0, 2, 8);
        assertTrue(slot >= 0, () -> PmStatus.name(slot));
        from.sendBuffer(slot).putLong(0, value);
        assertEquals(PmStatus.OK, from.send(slot, 8, value));
        device.poll();
        assertEquals(PmStatus.OK, to.receive(message));
        assertEquals(value, message.buffer().getLong(0));
        to.release(message);
        device.poll();
    }
}
