package io.hxb.tool.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What measurements do about a node that cannot be attached to. */
@Tag("unit")
class MeasurementRetryTest {
    private static final List<Pair> PAIRS = List.of(new Pair(0, 1), new Pair(1, 0));

    @TempDir private Path folder;

    private final List<String> notices = new ArrayList<>();

    /** A machine whose node is not there {@code missing} times, and then refuses. */
    private final class Refusing implements Cluster {
        private final int missing;
        private int attempts;

        Refusing(final int missing) {
            this.missing = missing;
        }

        @Override
        public ClusterConfig config() {
            return ClusterConfig.of("c", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000));
        }

        @Override
        public PmDevice device(final int node) {
            attempts++;
            try {
                if (attempts <= missing) {
                    return PmDevice.attach(folder.resolve("none.sock"));
                }
                throw new PmException("this user may not attach");
            } catch (final IOException e) {
                throw new ToolException(e.getMessage(), e);
            }
        }

        @Override
        public void close() {}
    }

    private ToolException fail(final Cluster cluster) {
        return assertThrows(
                ToolException.class,
                () -> new RunMeasurement(cluster).awaitReady(PAIRS, notices::add));
    }

    @Test
    void shouldTakeARefusalForFinal() {
        // given
        final Refusing cluster = new Refusing(0);
        // when
        final ToolException thrown = fail(cluster);
        // then
        assertEquals(1, cluster.attempts);
        assertEquals("this user may not attach", thrown.getMessage());
        assertEquals(List.of(), notices);
    }

    @Test
    void shouldPauseBeforeItLooksAgainForANodeThatIsNotThere() {
        // given
        final Refusing cluster = new Refusing(3);
        final long startNs = System.nanoTime();
        // when
        fail(cluster);
        // then
        assertEquals(4, cluster.attempts);
        assertTrue(System.nanoTime() - startNs >= 300_000_000L);
        assertEquals(1, notices.size());
        assertTrue(notices.getFirst().contains("no node listens on"), notices::getFirst);
    }
}
