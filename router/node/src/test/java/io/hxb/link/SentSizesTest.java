package io.hxb.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SentSizesTest {
    private final SentSizes sizes = new SentSizes();

    @Test
    void shouldReportHowManyOfTheLastFramesMayWait() {
        // given: large ones, then small ones
        assertEquals(0, sizes.framesOf(1_000));
        for (int i = 0; i < 5_000; i++) {
            sizes.add(i < 4_990 ? 9_000 : 700);
        }
        // then
        assertEquals(0, sizes.framesOf(0));
        assertEquals(1, sizes.framesOf(1));
        assertEquals(1, sizes.framesOf(700));
        assertEquals(2, sizes.framesOf(701));
        assertEquals(10, sizes.framesOf(7_000));
        assertEquals(11, sizes.framesOf(16_000));
        assertEquals(12, sizes.framesOf(16_001));
        assertEquals(1_023, sizes.framesOf(1L << 40));
    }
}
