package io.hxb.bench.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.bench.soak.Forgery;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.linux.Memory;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** What the attacker sends is what it is called, and none of it is nonsense throughout. */
@Tag("unit")
class ForgerTest {
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int PREFIX_BYTES = 14;
    private static final int FRAMES = 4_000;
    private static final long PREFIX = 0x0102_0304_0506_0708L;

    private final Arena arena = Arena.ofAuto();
    private final long memory = arena.allocate(SeenFrames.MAX_BYTES, 64).address();
    private final SplittableRandom random = new SplittableRandom(7);
    private final ClusterConfig config =
            ClusterConfig.of("test", SHAPE, Backend.UDP, LinkPlan.udp(2, 2, 20_000));
    private final Forgery forgery = new Forgery(config, 2, random.split());
    private final SeenFrames seen = new SeenFrames(PREFIX_BYTES, random.split());
    private final Forger forger = new Forger(seen, forgery, random.split(), true);

    private void seeEveryType() {
        for (int i = 0; i < 1_000; i++) {
            final int type = 1 + i % (FrameType.COUNT - 1);
            Memory.putLong(memory, PREFIX);
            Memory.putLong(memory + PREFIX_BYTES - Long.BYTES, i % 2);
            final int lengthBytes = forgery.write(type, memory + PREFIX_BYTES);
            seen.add(memory, PREFIX_BYTES + lengthBytes, i % 2);
        }
    }

    @Test
    void shouldForgeWellFormedFramesOfEveryType() {
        // given
        final FrameCrc crc = new FrameCrc();
        for (int type = 1; type < FrameType.COUNT; type++) {
            int valid = 0;
            for (int i = 0; i < 100; i++) {
                // when
                final int lengthBytes = forgery.write(type, memory);
                // then
                assertEquals(
                        DropReason.NONE,
                        FrameValidator.checkHeader(memory, lengthBytes, config.clusterId()));
                valid +=
                        FrameValidator.checkEndToEnd(memory, SHAPE, crc) == DropReason.NONE ? 1 : 0;
            }
            assertEquals(100, valid, "type " + type);
        }
    }

    @Test
    void shouldMakeAllKindsOfFramesAllOfThemShorterThanItsRoom() {
        // given
        assertEquals(0, forger.make(0, memory), "nothing has been seen");
        seeEveryType();
        final Set<Integer> types = new HashSet<>();
        for (int i = 0; i < FRAMES; i++) {
            // when
            final int lengthBytes = forger.make(i % 2, memory);
            // then
            assertTrue(lengthBytes >= PREFIX_BYTES && lengthBytes <= SeenFrames.MAX_BYTES);
            assertEquals(PREFIX & 0xFFFF_FFFF_FFFFL, Memory.getLong(memory) & 0xFFFF_FFFF_FFFFL);
            types.add(
                    Memory.getUnsignedByte(
                            memory + PREFIX_BYTES + FrameHeaderFlyweight.TYPE_OFFSET));
        }
        for (final Forger.Kind kind : Forger.Kind.values()) {
            assertTrue(forger.made(kind) > FRAMES / 10, kind + ": " + forger.made(kind));
        }
        assertTrue(types.size() >= FrameType.COUNT - 1, "types " + types);
    }

    @Test
    void shouldMostlySendFramesWhereTheyWereSeen() {
        // given
        seeEveryType();
        int there = 0;
        for (int i = 0; i < FRAMES; i++) {
            // when
            final int slot = seen.anyOf(1);
            // then
            there += (int) Memory.getLong(seen.address(slot) + PREFIX_BYTES - Long.BYTES) & 1;
        }
        assertTrue(there > FRAMES * 3 / 4 && there < FRAMES, "there " + there);
    }

    @Test
    void shouldKeepTheFirstFramesAndTheNewest() {
        // given
        seeEveryType();
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
        final Set<Integer> before = sequences(header);
        // when
        for (int i = 0; i < 1_000; i++) {
            final int lengthBytes = forgery.write(FrameType.DATA, memory + PREFIX_BYTES);
            header.wrap(memory + PREFIX_BYTES).sequence(-1);
            seen.add(memory, PREFIX_BYTES + lengthBytes, 0);
        }
        // then
        final Set<Integer> after = sequences(header);
        assertTrue(after.contains(-1));
        assertNotEquals(before, after);
        before.retainAll(after);
        assertTrue(before.size() >= 16, "of the first " + before.size());
    }

    private Set<Integer> sequences(final FrameHeaderFlyweight header) {
        final Set<Integer> sequences = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            header.wrap(seen.address(seen.any()) + PREFIX_BYTES);
            if (header.type() == FrameType.DATA) {
                sequences.add(header.sequence());
            }
        }
        return sequences;
    }
}
