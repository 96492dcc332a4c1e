package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Scripts from seeds; the fuzzer finds better ones, guided by coverage. */
@Tag("property")
class HostilePeerTest {
    private static final int SCRIPTS = 2_000;

    private final long[] happened = new long[10];

    @Test
    void shouldKeepTheBooksWhateverThePeerSends() {
        // given
        final long first = System.nanoTime();
        // when
        for (long seed = first; seed < first + SCRIPTS; seed++) {
            final Random random = new Random(seed);
            final byte[] script = new byte[random.nextInt(4_000)];
            random.nextBytes(script);
            try {
                count(HostilePeer.run(script));
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        // then: the scripts went deep enough for all of this to happen
        for (int i = 0; i < happened.length; i++) {
            assertTrue(happened[i] > SCRIPTS / 100, Arrays.toString(happened) + ", seed " + first);
        }
    }

    private void count(final CounterBlock counters) {
        final long[] counts = {
            counters.value(CounterType.FLOW_RECEIVED_ACKS_FRAMES),
            counters.value(CounterType.FLOW_DELIVERED_FRAMES),
            counters.value(CounterType.FLOW_DUPLICATE_FRAMES),
            counters.value(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES),
            counters.value(CounterType.FLOW_RESENT_FRAMES),
            counters.value(CounterType.FLOW_PEER_RESTARTED_EVENTS),
            counters.value(CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS),
            counters.value(CounterType.FLOW_PEER_UNREACHABLE_EVENTS),
            counters.value(CounterType.FLOW_WINDOW_STALLS_EVENTS),
            counters.value(CounterType.FLOW_STALE_FRAMES)
        };
        for (int i = 0; i < happened.length; i++) {
            happened[i] += counts[i];
        }
    }
}
