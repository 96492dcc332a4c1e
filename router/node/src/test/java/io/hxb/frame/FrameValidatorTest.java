package io.hxb.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

@Tag("property")
class FrameValidatorTest {
    private final FrameChecks checks = new FrameChecks();

    @Test
    void shouldTakeEveryFrameThatIsRight() {
        qt().withExamples(2_000)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final byte[] frame = FrameSamples.random(new Random(seed));
                            // when
                            final int reason = checks.judge(frame);
                            // then
                            assertEquals(DropReason.NONE, reason, DropReason.name(reason));
                        });
    }

    @Test
    void shouldJudgeDamagedFramesAsTheReferenceDoes() {
        // given
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final Set<Integer> reasons = new HashSet<>();
        // when
        for (int round = 0; round < 20_000; round++) {
            final byte[] frame = FrameSamples.random(random);
            for (int i = random.nextInt(3); i >= 0; i--) {
                frame[random.nextInt(random.nextBoolean() ? 64 : frame.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(3));
            }
            final boolean isCut = random.nextInt(10) == 0;
            reasons.add(
                    checks.judge(
                            isCut ? Arrays.copyOf(frame, random.nextInt(frame.length)) : frame));
        }
        // then
        assertEquals(13, reasons.size(), "seed " + seed + ": reasons seen " + reasons);
    }

    // Offset and length of a little-endian field, what is put there, and what is to be found.
    @ParameterizedTest
    @CsvSource({
        "0, 1, 1, VERSION",
        "0, 1, 0, VERSION",
        "0, 1, 2, VERSION",
        "1, 1, 0, TYPE",
        "1, 1, 21, TYPE",
        "1, 1, 255, TYPE",
        "2, 1, 32, LENGTH",
        "2, 1, 128, FLAGS",
        "3, 1, 0, HOP_LIMIT",
        "4, 4, 0, ORDER",
        "4, 4, 0x76543218, ORDER",
        "8, 4, 1, CLUSTER",
        "16, 1, 4, COORDINATES",
        "19, 1, 1, COORDINATES",
        "24, 8, -1, COORDINATES",
        "25, 1, 3, COORDINATES",
        "52, 2, 65535, LENGTH",
        "52, 2, 21, LENGTH",
        "52, 2, 19, BODY",
        "54, 2, 0, BODY",
        "54, 2, 8, BODY",
        "54, 2, 65532, BODY",
        "54, 2, 2, LENGTH",
        "62, 2, 1, RESERVED",
        "64, 4, -1, BODY",
        "64, 4, 13, BODY",
        "64, 4, 0x7fffffff, BODY",
        "2, 1, 1, CRC",
    })
    void shouldFindEachThingThatIsWrong(
            final int offset, final int length, final String value, final String reason) {
        // given
        final byte[] frame = rightDataFrame();
        assertEquals(DropReason.NONE, checks.judge(frame));
        // when
        final long number = Long.decode(value);
        for (int i = 0; i < length; i++) {
            frame[offset + i] = (byte) (number >>> (8 * i));
        }
        // then
        assertEquals(reason, DropReason.name(checks.judge(frame)));
    }

    @Test
    void shouldNoticeEveryBitThatChangesUnderTheCrcButForWhatRelaysChange() {
        // given
        final byte[] frame = rightDataFrame();
        frame[2] = (byte) FrameHeaderFlyweight.FLAG_CRC;
        ByteBuffer.wrap(frame)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(56, ReferenceValidator.crc(frame));
        assertEquals(DropReason.NONE, checks.judge(frame));
        for (int bit = 0; bit < 8 * frame.length; bit++) {
            final byte[] damaged = frame.clone();
            // when
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            final int reason = checks.judge(damaged);
            // then
            final boolean isChangedByRelays = bit / 8 >= 3 && bit / 8 < 8;
            final boolean isFlagItself = bit == 16;
            assertTrue(reason != 0 || isChangedByRelays || isFlagItself, "bit " + bit);
        }
    }

    private static byte[] rightDataFrame() {
        final byte[] bytes = new byte[84];
        final ByteBuffer frame = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        frame.put(0, (byte) FrameHeaderFlyweight.VERSION)
                .put(1, (byte) FrameType.DATA)
                .put(3, (byte) 5);
        frame.putInt(4, 0x7654_3210).putInt(8, FrameChecks.CLUSTER);
        frame.putLong(16, 0x01_02_03L).putLong(24, 0x01_00_00L);
        frame.putInt(52, 1 << 18 | 20);
        frame.putInt(64, 12);
        return bytes;
    }
}
