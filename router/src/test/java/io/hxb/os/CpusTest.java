package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CpusTest {
    @Test
    void shouldCountWhatTheKernelLists() {
        assertEquals(1, Cpus.count("0"));
        assertEquals(64, Cpus.count("0-63"));
        assertEquals(7, Cpus.count("0-3,8,10-11"));
    }

    @Test
    void shouldKnowWhatIsNoList() {
        for (final String text : new String[] {"", "-", "0-", "3-1", "a", "0,,1", "0-9999999"}) {
            assertEquals(0, Cpus.count(text), text);
        }
    }

    @Test
    void shouldHaveAsManyAsThisProcessMayUse() {
        assertTrue(Cpus.online() >= Runtime.getRuntime().availableProcessors());
    }
}
