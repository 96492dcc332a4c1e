package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "200us, 200000",
        "1.5ms, 1500000",
        "0ns, 0",
        "2 min, 120000000000",
        "5s, 5000000000"
    })
    void shouldReadDurations(final String text, final long durationNs) {
        assertEquals(durationNs, Quantity.parseDurationNs(text));
    }

    @ParameterizedTest
    @CsvSource({"12KiB, 12288", "4096, 4096", "1.5GiB, 1610612736", "8MiB, 8388608", "9kB, 9000"})
    void shouldReadSizes(final String text, final long sizeBytes) {
        assertEquals(sizeBytes, Quantity.parseSizeBytes(text));
    }

    @ParameterizedTest
    @CsvSource({"1gbit, 1000000000", "250mbit, 250000000", "2.5Gbit, 2500000000"})
    void shouldReadRates(final String text, final long rateBps) {
        assertEquals(rateBps, Quantity.parseRateBps(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "us", "-1s", "1h", "1e3s", "999999999999999999s"})
    void shouldRefuseWhatIsNoDuration(final String text) {
        assertThrows(IllegalArgumentException.class, () -> Quantity.parseDurationNs(text));
    }

    @Test
    void shouldWriteTheLargestUnitThatLeavesNoFraction() {
        assertEquals("1500us", Quantity.formatDuration(1_500_000));
        assertEquals("0ns", Quantity.formatDuration(0));
        assertEquals("12KiB", Quantity.formatSize(12_288));
        assertEquals("1gbit", Quantity.formatRate(1_000_000_000));
    }
}
