package io.hxb.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

import org.junit.jupiter.api.Tag;

import java.util.Arrays;

/**
 * Runs all targets in turns, guided by coverage: the first byte of an input chooses. {@code mvn
 * verify -P outside} does it for a while, by an execution of its own that sets JAZZER_FUZZ.
 */
@Tag("property")
@Tag("outside")
class AllFuzz {
    private static final FuzzTarget[] TARGETS = FuzzTarget.values();

    @FuzzTest(maxDuration = "30s")
    void shouldKeepItsPromisesAndItsResourcesWhateverComes(final byte[] bytes) {
        if (bytes.length > 0) {
            TARGETS[(bytes[0] & 0xFF) % TARGETS.length].run(
                    Arrays.copyOfRange(bytes, 1, bytes.length));
        }
    }
}
