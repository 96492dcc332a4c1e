package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory of one loop's frames. */
@Tag("unit")
class TxPoolTest {
    @ParameterizedTest
    @CsvSource({"4, 256, 32", "1024, 9000, 128", "4096, 9000, 512", "4096, 448, 384"})
    void shouldReportAsManyFramesAsAnAcknowledgementHasRoomFor(
            final int windowFrames, final int mtuBytes, final int bodyBytes) {
        assertEquals(bodyBytes, TxPool.ackBodyBytes(windowFrames, mtuBytes));
    }
}
