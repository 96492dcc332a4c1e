package io.hxb.fuzz;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.HexFormat;
import java.util.SplittableRandom;

/** Each target with inputs from a seed, and with those that once failed. */
@Tag("property")
class FuzzTargetsTest {
    private static final int INPUTS = Integer.getInteger("hxb.fuzz.inputs", 40);
    private static final int MAX_BYTES = 600;

    @ParameterizedTest
    @EnumSource
    void shouldKeepItsPromisesWithAnyInput(final FuzzTarget target) {
        final long seed = Long.getLong("hxb.seed", System.nanoTime());
        final SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < INPUTS; i++) {
            final byte[] input = new byte[random.nextInt(MAX_BYTES)];
            random.nextBytes(input);
            if (i % 2 == 0) {
                // Small numbers choose among what there is; large ones are nothing anywhere.
                for (int k = 0; k < input.length; k++) {
                    input[k] = (byte) random.nextInt(16);
                }
            }
            run(target, input, seed);
        }
    }

    @Test
    void shouldNotKeepTheDescriptorOfAMessageWithoutContents() {
        run(FuzzTarget.ATTACH, HexFormat.of().parseHex("68ffa8"), 0);
    }

    private static void run(final FuzzTarget target, final byte[] input, final long seed) {
        try {
            target.run(input);
        } catch (final Throwable e) {
            final String hex = HexFormat.of().formatHex(input);
            throw new AssertionError(target + " seed " + seed + ", input " + hex, e);
        }
    }
}
