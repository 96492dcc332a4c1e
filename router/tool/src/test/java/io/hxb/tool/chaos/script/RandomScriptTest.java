package io.hxb.tool.chaos.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Scripts drawn from seeds. */
@Tag("property")
class RandomScriptTest {
    private static final long QUIET_NS = 1_000_000_000L;
    private static final long LENGTH_NS = 20_000_000_000L;
    private static final int SEEDS = 200;

    private final Shape shape = Shape.parse("2x3");
    private final Selector selector = new Selector(shape, 3);

    private FaultScript draw(final long seed) {
        return new RandomScript(selector, List.of(1, 2)).draw(seed, 20, QUIET_NS, LENGTH_NS);
    }

    @Test
    void shouldDrawTheSameScriptFromTheSameSeed() {
        assertEquals(draw(7), draw(7));
        assertNotEquals(draw(7).write(), draw(8).write());
    }

    @Test
    void shouldDrawScriptsWithoutContradictionsThatEndWithAllBeingWell() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            // when
            final FaultScript script = draw(seed);
            // then: the reader finds nothing wrong with it
            final FaultScript read =
                    new ScriptReader(selector).parse(script.write(), "seed " + seed);
            assertEquals(script.write(), read.write());
            final long repairs =
                    script.faults().stream().filter(fault -> fault.action().isRepair()).count();
            assertEquals(script.faults().size(), 2 * repairs, "seed " + seed);
            assertTrue(script.faults().getFirst().atNs() >= QUIET_NS, "seed " + seed);
            assertTrue(script.lastNs() <= LENGTH_NS, "seed " + seed);
            assertTrue(repairs >= 10, "seed " + seed + ": " + script.write());
        }
    }

    @Test
    void shouldAlwaysLeaveALinkOfEachLineWholeAndKillNoOtherNodes() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Map<Cable, Boolean> broken = new HashMap<>();
            final Set<Integer> dead = new HashSet<>();
            for (final Fault fault : draw(seed).faults()) {
                // when
                final boolean isRepair = fault.action().isRepair();
                fault.cables().forEach(cable -> broken.put(cable, !isRepair));
                fault.nodes().forEach(node -> check(isRepair, node, dead));
                // then
                for (final Cable cable : fault.cables()) {
                    final Set<Integer> links = new HashSet<>();
                    for (final Cable other : ofLine(cable)) {
                        if (broken.getOrDefault(other, false)) {
                            links.add(other.link());
                        }
                    }
                    assertTrue(links.size() < 3, "seed " + seed + ": " + fault.text());
                }
                assertTrue(dead.size() <= 1, "seed " + seed + ": " + fault.text());
            }
        }
    }

    private static void check(final boolean isRepair, final int node, final Set<Integer> dead) {
        assertTrue(node == 1 || node == 2);
        if (isRepair) {
            dead.remove(node);
        } else {
            dead.add(node);
        }
    }

    private Set<Cable> ofLine(final Cable cable) {
        final String first =
                "switch "
                        + io.hxb.config.Dimensions.name(cable.dimension())
                        + ".* of "
                        + shape.format(shape.coordinates(cable.node()));
        return new HashSet<>(selector.cables(first));
    }
}
