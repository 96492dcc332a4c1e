package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Labs that wait by spinning where a loop and an application have one CPU between them. */
@Tag("system")
class SpinSystemTest {
    /** Threads that keep their slices are slower than sleeping ones by 100 and more. */
    private static final int MAX_RATIO = 30;

    private static final int MAX_TRIES = 5;
    private static final double ROUND_TRIP_US = 150;

    @TempDir private Path folder;

    private final String name = "o" + ProcessHandle.current().pid();

    @Test
    void shouldNotBeFarSlowerThanSleepingWhereThreadsOutnumberCpus() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")), "needs taskset of util-linux");
        // given
        final double usualUs = Math.max(medianUs("--hybrid", ""), ROUND_TRIP_US);
        // when
        double spinningUs = Double.MAX_VALUE;
        // Others may keep the CPU for as long as threads would that never give it up.
        for (int tries = 0; tries < MAX_TRIES && spinningUs >= MAX_RATIO * usualUs; tries++) {
            spinningUs = medianUs("--spin", "outnumber the CPUs (1)");
        }
        // then
        assertTrue(
                spinningUs < MAX_RATIO * usualUs,
                "round trips of " + spinningUs + " us, with --hybrid " + usualUs + " us");
    }

    private double medianUs(final String waiting, final String warning) throws Exception {
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        List.of("/usr/bin/taskset", "-c", "0"),
                        "lab",
                        "run",
                        "ping",
                        "--shape",
                        "2",
                        "--links",
                        "1",
                        "--backend",
                        "udp",
                        waiting,
                        "--count",
                        "300",
                        "--name",
                        name,
                        "--json")) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
            assertTrue(hxb.errors().contains(warning), hxb::errors);
            final Map<?, ?> report = hxb.json();
            final Map<?, ?> roundTrips = (Map<?, ?>) report.get("rtt_us");
            return ((Number) roundTrips.get("median")).doubleValue();
        }
    }
}
