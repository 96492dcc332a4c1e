package io.hxb.tool.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.OptionalLong;

@Tag("unit")
class EndCpuTest {
    private static final OptionalLong NONE = OptionalLong.empty();

    private static OptionalLong ms(final long ms) {
        return OptionalLong.of(ms * 1_000_000);
    }

    @Test
    void shouldReportSecondsForEachGigabyteOfWhatIsKnown() {
        // given
        final EndCpu before = new EndCpu(ms(100), ms(1000), NONE, ms(50), NONE);
        final EndCpu after = new EndCpu(ms(400), ms(2000), ms(9), ms(650), NONE);
        // when
        final EndCpu used = after.since(before);
        // then
        assertEquals(
                Map.of("sender", 0.15, "sender_node", 0.5, "receiver_node", 0.3),
                used.perGigabyte(2_000_000_000));
        assertEquals(
                "CPU-seconds a GB: sender 0.15, sender's node 0.50, receiver's node 0.30",
                used.text(2_000_000_000));
        assertEquals(Map.of(), used.perGigabyte(0), "nothing arrived");
        assertEquals("", EndCpu.UNKNOWN.text(1));
    }

    @Test
    void shouldTakeTheWordOfAReceiverOnlyWhereNothingIsSeenFromHere() {
        final EndCpu elsewhere = new EndCpu(ms(1), ms(2), NONE, NONE, NONE);
        assertEquals(
                new EndCpu(ms(1), ms(2), ms(3), ms(4), NONE), elsewhere.orReceiver(ms(3), ms(4)));
        final EndCpu shared = new EndCpu(ms(1), NONE, ms(5), NONE, ms(6));
        assertEquals(shared, shared.orReceiver(ms(3), ms(4)));
    }
}
