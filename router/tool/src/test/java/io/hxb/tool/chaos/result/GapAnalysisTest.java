package io.hxb.tool.chaos.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.chaos.traffic.RateSeries;
import io.hxb.tool.measure.Pair;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

/** What faults cost, held against what they leave. */
@Tag("unit")
class GapAnalysisTest {
    private static final long MS = 1_000_000L;
    private static final Pair PAIR = new Pair(0, 1);

    private static FaultScript script(final String shape, final int links, final String text) {
        return new ScriptReader(new Selector(Shape.parse(shape), links)).parse(text, "test");
    }

    private static List<GapAnalysis.Moment> moments(final FaultScript script) {
        return script.faults().stream()
                .map(fault -> new GapAnalysis.Moment(fault, fault.atNs(), fault.atNs() + MS))
                .toList();
    }

    private static long[] rates(final int count, final long... steps) {
        final long[] bytes = new long[count];
        for (int i = 0; i < steps.length; i += 2) {
            Arrays.fill(bytes, (int) steps[i], count, steps[i + 1]);
        }
        return bytes;
    }

    private static List<FaultOutcome> analyse(final FaultScript script, final long[] bytes) {
        final RateSeries series = new RateSeries(10 * MS, bytes);
        return new GapAnalysis(
                        List.of(PAIR),
                        List.of(series),
                        moments(script),
                        new RemainingCapacity(Shape.parse("2"), 2, 1_000_000_000L))
                .outcomes();
    }

    @Test
    void shouldMeasureTheGapAgainstWhatIsLeft() {
        // given: 200 bytes a sample; nothing for 50 ms after the fault, then 100; 200 again 80 ms
        // after the repair
        final FaultScript script = script("2", 2, "- {at: 1s, pull: \"x.0 of (0)\", for: 1s}\n");
        final long[] bytes = rates(300, 0, 200, 100, 0, 105, 100, 208, 200);
        // when
        final List<FaultOutcome> outcomes = analyse(script, bytes);
        // then
        final FaultOutcome fault = outcomes.getFirst();
        assertEquals(0.5, fault.left());
        assertEquals(50.0, fault.gapMs());
        assertEquals(49.0, fault.fullMs());
        assertEquals(79.0, fault.fullAfterRepairMs());
        final FaultOutcome repair = outcomes.getLast();
        assertEquals("restore", repair.action());
        assertEquals(1.0, repair.left());
        assertEquals(0.0, repair.gapMs(), "what was left went on while the rest came back");
        assertEquals(79.0, repair.fullMs());
        assertNull(repair.fullAfterRepairMs());
    }

    @Test
    void shouldReportNothingOfASpeedThatDidNotCome() {
        // given: the link is never used again
        final FaultScript script = script("2", 2, "- {at: 1s, pull: \"x.0 of (0)\", for: 1s}\n");
        // when
        final List<FaultOutcome> outcomes = analyse(script, rates(300, 0, 200, 100, 100));
        // then
        assertEquals(0.0, outcomes.getFirst().fullMs());
        assertNull(outcomes.getFirst().fullAfterRepairMs());
        assertNull(outcomes.getLast().fullMs());
    }

    @Test
    void shouldNotJudgeWithoutAnythingToCompareWith() {
        // given: the fault comes at once, or nothing is left
        final FaultScript early = script("2", 2, "- {at: 100ms, pull: \"x.0 of (0)\"}\n");
        final FaultScript all = script("2", 2, "- {at: 1s, pull: \"* of (0)\", for: 1s}\n");
        // then
        assertNull(analyse(early, rates(300, 0, 200)).getFirst().gapMs());
        final List<FaultOutcome> none = analyse(all, rates(300, 0, 200, 100, 0, 250, 200));
        assertNull(none.getFirst().left());
        assertNull(none.getFirst().gapMs());
        assertEquals(499.0, none.getFirst().fullAfterRepairMs());
    }

    @Test
    void shouldReportHowLongItIsSlowWithoutAnyFault() {
        // given
        final long[] bytes = rates(200, 0, 200, 50, 10, 53, 200, 100, 0);
        final FaultScript script = script("2", 2, "- {at: 1s, pull: \"x.0 of (0)\"}\n");
        // when
        final GapAnalysis analysis =
                new GapAnalysis(
                        List.of(PAIR),
                        List.of(new RateSeries(10 * MS, bytes)),
                        moments(script),
                        new RemainingCapacity(Shape.parse("2"), 2, 0));
        // then
        assertEquals(30.0, analysis.quietGapMs());
    }

    @Test
    void shouldKnowWhatIsLeftOfWaysThroughSeveralDimensions() {
        // given
        final Shape shape = Shape.parse("2x2x2");
        final RemainingCapacity remainingCapacity = new RemainingCapacity(shape, 2, 1_000_000_000L);
        final Pair far = new Pair(0, 7);
        final Pair near = new Pair(0, 1);
        final FaultScript script =
                script(
                        "2x2x2",
                        2,
                        """
                        - {at: 1s, slow: "x.0 of (0,0,0)", rate: 500mbit}
                        - {at: 2s, pull: "y.0 of (1,1,0)"}
                        - {at: 3s, kill: "(1,0,0)"}
                        - {at: 4s, kill: "(1,1,0)"}
                        - {at: 5s, one-way: "z.0 of *", passes: in}
                        - {at: 6s, kill: "(1,1,1)"}
                        """);
        final double[] farLeft = {0.75, 0.5, 1, 1, 0.5, 0};
        final double[] nearLeft = {0.75, 0.75, 0, 0, 0, 0};
        for (int i = 0; i < farLeft.length; i++) {
            // when
            remainingCapacity.apply(script.faults().get(i));
            // then
            final String what = script.faults().get(i).text();
            assertEquals(farLeft[i], remainingCapacity.share(far), what);
            assertEquals(nearLeft[i], remainingCapacity.share(near), what);
        }
    }
}
