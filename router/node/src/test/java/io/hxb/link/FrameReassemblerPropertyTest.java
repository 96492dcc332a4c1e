package io.hxb.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Random ranges against a plain model, which keeps a bit for every byte of every frame. */
@Tag("property")
class FrameReassemblerPropertyTest {
    private static final int SEEDS = 200 * Seeds.TIMES;
    private static final int STEPS = 2_000;
    private static final int BUFFERS = 24;
    private static final int BUFFER_BYTES = 1_024;
    private static final int MAX_FRAME_BYTES = BUFFER_BYTES - BufferPool.HEADER_OFFSET_BYTES;
    private static final long TIMEOUT_NS = 200;

    @Test
    void shouldJoinWhatAPlainModelJoins() {
        // given / when
        final long whole = Seeds.sum(SEEDS, FrameReassemblerPropertyTest::run);
        // then
        assertTrue(whole > 10L * SEEDS, whole + " frames were completed");
    }

    private static long run(final long seed) {
        try (Arena arena = Arena.ofConfined()) {
            return new Run(seed, arena).run();
        } catch (final RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private record Key(long source, long number) {}

    private static final class Model {
        private final int frameBytes;
        private final long beganNs;
        private final BitSet bytes = new BitSet();

        Model(final int frameBytes, final long beganNs) {
            this.frameBytes = frameBytes;
            this.beganNs = beganNs;
        }

        int spans() {
            int count = 0;
            for (int i = bytes.nextSetBit(0); i >= 0; i = bytes.nextSetBit(bytes.nextClearBit(i))) {
                count++;
            }
            return count;
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final BufferPool pool;
        private final BufferPool.Share share;
        private final FrameReassembler reassembler;
        private final int maxFrames;
        private final int maxFramesPerSource;
        private final long scratch;
        private final Map<Key, Model> frames = new LinkedHashMap<>();
        private final RecentFrames recent;
        private final long[] answers = new long[FrameReassembler.REFUSED + 1];
        private long nowNs;
        private long whole;
        private long displaced;
        private long expired;

        Run(final long seed, final Arena arena) {
            random = new SplittableRandom(seed);
            nowNs = random.nextLong();
            pool =
                    new BufferPool(
                            arena.allocate(BUFFERS * BUFFER_BYTES, 64).address(),
                            BUFFERS,
                            BUFFER_BYTES);
            share = pool.newShare();
            maxFrames = 1 + random.nextInt(8);
            maxFramesPerSource = 1 + random.nextInt(maxFrames);
            reassembler = new FrameReassembler(share, maxFrames, maxFramesPerSource, TIMEOUT_NS);
            recent = new RecentFrames(4 * maxFrames, TIMEOUT_NS);
            scratch = arena.allocate(MAX_FRAME_BYTES, 8).address();
        }

        long run() {
            final List<int[]> last = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                final int source = random.nextInt(4);
                final int number = (int) (nowNs >> 6) + random.nextInt(3);
                final Key key = new Key(source, number);
                final int piece = 20 + Math.floorMod(key.hashCode() * 7L, 100);
                final int frameBytes =
                        chance(30)
                                ? random.nextInt(-2, MAX_FRAME_BYTES + 3)
                                : 1 + Math.floorMod(key.hashCode() * 31, MAX_FRAME_BYTES);
                int offset = random.nextInt(1 + Math.max(0, frameBytes - 1) / piece) * piece;
                int length = Math.min(piece, frameBytes - offset);
                if (chance(10)) {
                    offset = random.nextInt(-3, MAX_FRAME_BYTES);
                    length = random.nextInt(-3, MAX_FRAME_BYTES);
                }
                last.add(new int[] {source, number, frameBytes, offset, length});
                range(last.get(chance(8) ? random.nextInt(last.size()) : step));
                nowNs += random.nextInt(8);
                if (chance(10)) {
                    expire();
                }
                check();
            }
            reassembler.close();
            assertEquals(0, pool.outstanding(), "buffers leaked");
            return whole;
        }

        private boolean chance(final int oneIn) {
            return random.nextInt(oneIn) == 0;
        }

        // Every byte depends on its frame and its place in it.
        private static int content(final long source, final long number, final int index) {
            return (int) (source * 31 + number * 17 + index * 7L + (index >> 8)) & 0xFF;
        }

        private void range(final int[] values) {
            final long source = values[0];
            final long number = values[1];
            final int length = values[4];
            for (int i = 0; i < Math.min(length, MAX_FRAME_BYTES); i++) {
                Memory.putByte(scratch + i, content(source, number, values[3] + i));
            }
            final Key key = new Key(source, number);
            final int expected = expect(key, values[2], values[3], length);
            final Model model = frames.get(key);
            final boolean isWhole =
                    expected == FrameReassembler.TAKEN
                            && model.bytes.cardinality() == model.frameBytes;
            final int id = offer(source, number, values[2], values[3], length);
            assertEquals(expected, reassembler.answer(), "what became of the range");
            answers[expected]++;
            assertEquals(isWhole, id != BufferPool.NONE, "whole");
            if (isWhole) {
                for (int i = 0; i < model.frameBytes; i++) {
                    assertEquals(
                            content(source, number, i),
                            Memory.getUnsignedByte(pool.headerAddress(id) + i),
                            "byte " + i);
                }
                share.release(id);
                frames.remove(key);
                recent.add(source, number, nowNs);
                whole++;
            }
        }

        private int offer(
                final long source,
                final long number,
                final int frameBytes,
                final int offset,
                final int length) {
            if (random.nextBoolean()) {
                return reassembler.onRange(
                        source, number, frameBytes, offset, scratch, length, nowNs);
            }
            final int id = share.acquire();
            final int at = random.nextInt(2) * 64;
            final long address = pool.headerAddress(id) + at;
            Memory.copy(scratch, address, Math.clamp(length, 0, MAX_FRAME_BYTES - at));
            if (length > MAX_FRAME_BYTES - at) {
                share.release(id);
                return reassembler.onRange(
                        source, number, frameBytes, offset, scratch, length, nowNs);
            }
            return reassembler.onBuffer(
                    source, number, frameBytes, offset, id, address, length, nowNs);
        }

        private int expect(
                final Key key, final int frameBytes, final int offset, final int length) {
            Model model = frames.get(key);
            final boolean isWithin =
                    offset >= 0 && length > 0 && (long) offset + length <= frameBytes;
            if (!isWithin
                    || frameBytes > MAX_FRAME_BYTES
                    || (model != null && model.frameBytes != frameBytes)) {
                return FrameReassembler.CONTRADICTING;
            }
            if (model == null) {
                if (recent.has(key.source(), key.number(), nowNs)) {
                    return FrameReassembler.LATE;
                }
                makeRoom(key.source());
                if (frames.size() == maxFrames) {
                    return FrameReassembler.REFUSED;
                }
                model = new Model(frameBytes, nowNs);
                frames.put(key, model);
            }
            final BitSet seen = model.bytes.get(offset, offset + length);
            if (seen.cardinality() == length) {
                return FrameReassembler.DOUBLED;
            }
            if (!seen.isEmpty()) {
                return FrameReassembler.CONTRADICTING;
            }
            model.bytes.set(offset, offset + length);
            assertTrue(model.spans() <= FrameReassembler.MAX_SPANS, "the test is too wild");
            return FrameReassembler.TAKEN;
        }

        private void makeRoom(final long source) {
            final List<Key> own =
                    frames.keySet().stream().filter(key -> key.source() == source).toList();
            if (own.size() == maxFramesPerSource) {
                frames.remove(own.getFirst());
                recent.add(own.getFirst().source(), own.getFirst().number(), nowNs);
                displaced++;
            }
        }

        private void expire() {
            int count = 0;
            for (final Key key : List.copyOf(frames.keySet())) {
                if (nowNs - frames.get(key).beganNs > TIMEOUT_NS) {
                    frames.remove(key);
                    recent.add(key.source(), key.number(), nowNs);
                    count++;
                }
            }
            expired += count;
            assertEquals(count, reassembler.expire(nowNs), "expired");
        }

        private void check() {
            assertEquals(frames.size(), reassembler.openFrames());
            assertEquals(frames.size(), pool.outstanding());
            final ReassemblyCounts counts = reassembler.counts();
            assertEquals(whole, counts.frames());
            assertEquals(displaced, counts.displaced());
            assertEquals(expired, counts.expired());
            assertEquals(answers[FrameReassembler.DOUBLED], counts.doubled());
            assertEquals(answers[FrameReassembler.CONTRADICTING], counts.contradicting());
            assertEquals(answers[FrameReassembler.LATE], counts.late());
            assertEquals(answers[FrameReassembler.REFUSED], counts.refused());
        }
    }
}
