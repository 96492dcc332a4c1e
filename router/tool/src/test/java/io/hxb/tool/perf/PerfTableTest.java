package io.hxb.tool.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.measure.EndCpu;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Result;
import io.hxb.tool.measure.RoundTrips;
import io.hxb.tool.measure.Throughput;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

@Tag("unit")
class PerfTableTest {
    private static final List<Pair> PAIRS = List.of(new Pair(0, 1));

    private final PerfTable table = new PerfTable(Shape.of(2), false);

    private static Throughput found(final long megabytes, final long lost, final EndCpu cpu) {
        return found(megabytes, lost, cpu, Optional.empty());
    }

    private static Throughput found(
            final long megabytes, final long lost, final EndCpu cpu, final Optional<String> ended) {
        return new Throughput(
                new Result(2, 1, megabytes * 1_000_000, 1000, lost, 0, 0, 0, 0, 1, RoundTrips.NONE),
                2,
                10,
                0,
                0,
                OptionalLong.empty(),
                cpu,
                ended);
    }

    private Map<String, Object> add(final int size, final long megabytes) {
        return table.add(PAIRS, size, found(megabytes, 0, EndCpu.UNKNOWN));
    }

    @Test
    void shouldNameSizesThatAreSlowerThanASmallerOne() {
        // when
        assertFalse(add(1024, 700).containsKey("of_smaller"), "none is smaller");
        assertEquals(1.0, add(4096, 700).get("of_smaller"));
        assertEquals(0.971, add(8192, 680).get("of_smaller"));
        assertEquals(0.643, add(65_536, 450).get("of_smaller"));
        assertEquals(1.003, add(1 << 20, 702).get("of_smaller"));
        // then: the best of those smaller, whatever came between
        assertTrue(table.verdict().endsWith("more than 3 %: 65536 (0.64)"), table::verdict);
        assertEquals(List.of(65_536), table.summary().get("slower_sizes"));
        assertEquals(5, table.summary().get("measurements"));
        assertEquals(true, table.summary().get("ok"), "slow is no fault");
    }

    @Test
    void shouldCompareInAnyOrderOfSizes() {
        add(65_536, 450);
        assertFalse(add(8192, 700).containsKey("of_smaller"));
        assertTrue(table.verdict().startsWith("no size is slower"), table::verdict);
    }

    @Test
    void shouldFailIfAnyLineLostAMessageOrThereIsNone() {
        assertFalse(table.isOk());
        add(8, 1);
        assertTrue(table.isOk());
        table.add(PAIRS, 16, found(2, 1, EndCpu.UNKNOWN));
        assertFalse(table.isOk());
        assertEquals(false, table.summary().get("ok"));
    }

    @Test
    void shouldKeepWhatWasMeasuredBeforeAnEndWasGone() {
        // given
        add(1024, 700);
        // when
        final Throughput last =
                found(100, 0, EndCpu.UNKNOWN, Optional.of("the receiving process was ended"));
        final Map<String, Object> row = table.add(PAIRS, 8192, last);
        // then: it is no size that is slow
        assertEquals(false, row.get("ok"));
        assertEquals("the receiving process was ended", row.get("error"));
        assertEquals(
                "ended early: the receiving process was ended; no size is slower than a smaller one"
                        + " by more than 3 %",
                table.verdict());
        assertEquals(false, table.summary().get("ok"));
        assertEquals(2, table.summary().get("measurements"));
        assertEquals(List.of(), table.summary().get("slower_sizes"));
    }

    @Test
    void shouldPrintWhatIsKnownOfARunWithBothEndsAndWithOne() {
        final Throughput whole = found(1000, 0, EndCpu.UNKNOWN);
        final Throughput cut =
                found(1000, 17, EndCpu.UNKNOWN, Optional.of("node 1 cannot be reached"));
        final String rate =
                "8192 bytes, 1 pair, 1.00 s: 1000.00 MB/s (8.000 Gbit/s), 1000 messages/s,"
                        + " 0 relayed frames";
        final String trips = "round trip " + RoundTrips.NONE;

        assertEquals(
                List.of(
                        rate,
                        "lost 0, duplicated 0, reordered 0, corrupt 0; frames resent 0, dropped 0",
                        trips),
                PerfReport.text(whole, 8192));
        assertEquals(
                List.of(
                        "ended early: node 1 cannot be reached; until then:",
                        rate,
                        "messages acknowledged 1000, not acknowledged 17, checked by nobody; frames"
                                + " resent 0, dropped 0",
                        trips),
                PerfReport.text(cut, 8192));
    }

    @Test
    void shouldLeaveCellsOfUnknownCpuTimesEmptyAndKeepTheColumns() {
        // given
        final EndCpu known =
                new EndCpu(
                        OptionalLong.of(300_000_000),
                        OptionalLong.of(500_000_000),
                        OptionalLong.of(200_000_000),
                        OptionalLong.empty(),
                        OptionalLong.empty());
        // when
        table.add(PAIRS, 8192, found(1000, 0, known));
        final String line = table.lastLine();
        table.add(PAIRS, 8192, found(1000, 0, EndCpu.UNKNOWN));
        // then
        assertEquals(table.heading().length(), line.length());
        assertEquals(table.heading().length(), table.lastLine().length());
        assertTrue(line.contains("0.300     0.500     0.200"), line);
    }
}
