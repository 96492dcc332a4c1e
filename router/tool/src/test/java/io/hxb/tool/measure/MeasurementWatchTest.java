package io.hxb.tool.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.os.CpuTime;
import io.hxb.tool.cluster.ClusterCounters;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

@Tag("unit")
class MeasurementWatchTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final OptionalDouble UNKNOWN = OptionalDouble.empty();
    private static final Optional<String> GOES_ON = Optional.empty();

    @TempDir private Path folder;

    private ClusterConfig config() {
        return ClusterConfig.of("w", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
    }

    @Test
    void shouldReportWhatHappenedInEachInterval() throws IOException {
        // given
        final List<Interval> intervals = new ArrayList<>();
        final MeasurementWatch watch =
                new MeasurementWatch(SECOND_NS, intervals::add, StopRequest.NEVER);
        try (ClusterCounters counters = new ClusterCounters(config())) {
            watch.observe(counters, false, 1000);
            // when
            watch.begin(5);
            assertFalse(watch.isDue(SECOND_NS));
            assertTrue(watch.isDue(SECOND_NS + 5));
            watch.onProgress(SECOND_NS + 5, 3000);
            watch.onProgress(3 * SECOND_NS + 5, 3000);
            watch.end(3 * SECOND_NS + SECOND_NS / 2 + 5, 4000);
        }
        // then
        assertEquals(
                List.of(
                        new Interval(false, 0, 1, 3_000_000, 3000, 0, 0, UNKNOWN),
                        new Interval(false, 1, 3, 0, 0, 0, 0, UNKNOWN),
                        new Interval(false, 3, 3.5, 1_000_000, 1000, 0, 0, UNKNOWN)),
                intervals);
        assertEquals(3.0, intervals.getFirst().bandwidthMegabytes());
        assertEquals(2000, intervals.getLast().messagesPerSecond());
        assertEquals(true, intervals.getFirst().fields().get("ok"));
        assertEquals(false, intervals.get(1).fields().get("ok"), "nothing was acknowledged");
    }

    @Test
    void shouldPrintIntervalsInColumns() {
        final Interval known =
                new Interval(false, 1, 2, 117_500_000, 14_343, 12, 0, OptionalDouble.of(1.234));
        final Interval unknown = new Interval(true, 10, 20.5, 105, 105, 0, 3, UNKNOWN);

        assertEquals(
                """
                      seconds       MB/s   Gbit/s   messages/s   resent  dropped node CPUs
                  1.0 -   2.0     117.50    0.940        14343       12        0      1.23
                 10.0 -  20.5       0.00    0.000           10        0        3         -  warm-up
                """,
                Interval.HEADING + "\n" + known + "\n" + unknown + "\n");
        assertEquals(1.23, known.fields().get("node_cpus"));
        assertFalse(unknown.fields().containsKey("node_cpus"));
    }

    @Test
    void shouldNotReportAMomentLeftAtTheEndNorWithoutIntervals() throws IOException {
        final List<Interval> intervals = new ArrayList<>();
        try (ClusterCounters counters = new ClusterCounters(config())) {
            for (final long intervalNs : new long[] {0, SECOND_NS}) {
                final MeasurementWatch watch =
                        new MeasurementWatch(intervalNs, intervals::add, StopRequest.NEVER);
                watch.observe(counters, true, 1);
                watch.begin(0);
                assertFalse(watch.isDue(SECOND_NS / 10));
                watch.end(SECOND_NS / 10, 100);
            }
        }
        assertEquals(List.of(), intervals);
    }

    @Test
    void shouldNotKnowTheCpuTimeOfNodesOnOtherMachines() throws IOException {
        try (ClusterCounters counters = new ClusterCounters(config())) {
            assertEquals(0, counters.nodes());
            assertEquals(OptionalLong.empty(), counters.cpuNs());
        }
        assertEquals(OptionalLong.empty(), CpuTime.ofNs(List.of(Long.MAX_VALUE)));
        assertTrue(CpuTime.ofNs(List.of(ProcessHandle.current().pid())).isPresent());
    }

    @Test
    void shouldLeaveOutCpuTimeThatIsNotKnown() {
        final Map<String, Object> unknown =
                new Throughput(
                                Result.NONE,
                                1,
                                10,
                                0,
                                0,
                                OptionalLong.empty(),
                                EndCpu.UNKNOWN,
                                GOES_ON)
                        .fields();
        final Throughput known =
                new Throughput(
                        Result.NONE, 2, 10, 0, 0, OptionalLong.of(25_000), EndCpu.UNKNOWN, GOES_ON);

        assertFalse(unknown.containsKey("cpu_us_per_frame"), unknown::toString);
        assertEquals(1, unknown.get("nodes_counted"));
        assertEquals(2.5, known.fields().get("cpu_us_per_frame"));
        assertEquals(
                OptionalDouble.empty(),
                new Throughput(Result.NONE, 2, 0, 0, 0, OptionalLong.of(1), EndCpu.UNKNOWN, GOES_ON)
                        .cpuPerFrameUs());
    }
}
