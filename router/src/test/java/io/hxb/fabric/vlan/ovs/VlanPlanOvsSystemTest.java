package io.hxb.fabric.vlan.ovs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.config.SwitchSetup;
import io.hxb.fabric.vlan.tree.LatticeTrees;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Open vSwitch, told what a plan says, carries frames between all hosts along the planned links and
 * no others.
 *
 * <pre>
 *  4x4 torus: s0 .. s15, a bridge each,            fat tree (2,4,2):   s12      s13
 *  a host on each, a veth pair for each link                         s8 s9   s10 s11
 *                                                                  s0 .. s3 s4 .. s7, two hosts each
 * </pre>
 */
@Tag("system")
class VlanPlanOvsSystemTest {
    private static final long ALL = 0xFFFF_FFFF_FFFFL;
    private static final int TO_ALL = -1;
    private static final Dialect OVS = Dialect.parse("ovs");

    @TempDir private Path folder;

    /** Test frames by where they were seen: channel numbers, then hosts from 100,000. */
    private static final class Sightings {
        private static final int HOSTS = 100_000;
        private final Map<Integer, List<String>> seen = new TreeMap<>();
        private int count;

        void add(final int place, final FrameTap.Seen frame) {
            seen.computeIfAbsent(place, key -> new ArrayList<>())
                    .add(frame.from() + ">" + frame.to() + " vid " + frame.vid());
            count++;
        }

        Map<Integer, List<String>> sorted() {
            seen.values().forEach(list -> list.sort(null));
            return seen;
        }
    }

    private static void collect(final OvsLab lab, final SwitchGraph graph, final Sightings into) {
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            for (final FrameTap.Seen frame : lab.channelTap(channel).receive()) {
                into.add(channel, frame);
            }
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            for (final FrameTap.Seen frame : lab.hostTap(host).receive()) {
                into.add(Sightings.HOSTS + host, frame);
            }
        }
    }

    private static int tag(final VlanPlan plan, final int from, final int to) {
        return plan.kind() == PlanKind.HOST_TAGGED
                ? plan.vid(to == TO_ALL ? plan.vlanOf(from) : plan.vlanOf(from, to))
                : FrameTap.NO_TAG;
    }

    private static void sendAll(final OvsLab lab, final VlanPlan plan) {
        final SwitchGraph graph = plan.graph();
        for (int from = 0; from < graph.hostCount(); from++) {
            for (int to = 0; to < graph.hostCount(); to++) {
                if (to != from) {
                    lab.hostTap(from)
                            .send(
                                    SetupMaker.mac(graph, from),
                                    SetupMaker.mac(graph, to),
                                    tag(plan, from, to),
                                    from,
                                    to);
                }
            }
        }
    }

    /** What the plan says must be seen, and no more. */
    private static Sightings expected(final VlanPlan plan) {
        final Sightings expected = new Sightings();
        final SwitchGraph graph = plan.graph();
        for (int from = 0; from < graph.hostCount(); from++) {
            for (int to = 0; to < graph.hostCount(); to++) {
                if (to != from) {
                    final int vid = plan.vid(plan.vlanOf(from, to));
                    for (final int channel : plan.path(from, to)) {
                        expected.add(channel, new FrameTap.Seen(vid, from, to));
                    }
                    expected.add(
                            Sightings.HOSTS + to, new FrameTap.Seen(tag(plan, from, to), from, to));
                }
            }
        }
        return expected;
    }

    /** Broadcasts reach every other host once; they also push everything else out of queues. */
    private static Sightings sendBroadcasts(final OvsLab lab, final VlanPlan plan) {
        final SwitchGraph graph = plan.graph();
        final Sightings seen = new Sightings();
        for (int from = 0; from < graph.hostCount(); from++) {
            lab.hostTap(from)
                    .send(SetupMaker.mac(graph, from), ALL, tag(plan, from, TO_ALL), from, TO_ALL);
        }
        long expected = 0;
        for (int from = 0; from < graph.hostCount(); from++) {
            expected += plan.tree(plan.vlanOf(from)).linkCount() + graph.hostCount() - 1;
        }
        final long all = expected;
        TestNamespaces.await(
                "broadcasts have arrived",
                () -> {
                    collect(lab, graph, seen);
                    return seen.count >= all;
                });
        return seen;
    }

    private static void checkExactPaths(final OvsLab lab, final VlanPlan plan) {
        final SwitchGraph graph = plan.graph();
        final Sightings expected = expected(plan);
        final Sightings seen = new Sightings();

        sendAll(lab, plan);
        TestNamespaces.await(
                "frames of all pairs have arrived",
                () -> {
                    collect(lab, graph, seen);
                    return seen.count >= expected.count;
                });
        final Sightings broadcasts = sendBroadcasts(lab, plan);

        assertEquals(expected.sorted(), seen.sorted());
        broadcasts
                .sorted()
                .forEach(
                        (place, frames) -> {
                            assertTrue(
                                    frames.stream().allMatch(frame -> frame.contains(">-1 ")),
                                    () -> "late frames at " + place + ": " + frames);
                            assertEquals(
                                    frames.size(), frames.stream().distinct().count(), "copies");
                        });
    }

    private static String scripts(final List<SwitchSetup> setups) {
        final StringBuilder all = new StringBuilder();
        setups.forEach(setup -> all.append(OVS.full(setup)));
        return all.toString();
    }

    private static String changes(final List<SwitchSetup> before, final List<SwitchSetup> after) {
        final StringBuilder all = new StringBuilder();
        for (int node = 0; node < after.size(); node++) {
            all.append(OVS.changes(before.get(node), after.get(node)));
        }
        return all.toString();
    }

    @Test
    void shouldCarryFramesOfATorusAlongPlannedLinksWithHostsThatKnowNoVlans() throws IOException {
        OvsLab.assumePossible();
        // given
        final Lattice torus = Lattice.torus(4, 4);
        final VlanPlan plan =
                VlanPlanner.of(PlanKind.SWITCH_TAGGED, 8)
                        .plan(
                                torus.graph(1),
                                LatticeTrees.of(
                                        torus, new int[] {0, 1}, LatticeTrees.Ties.BALANCED),
                                "dimension-order");
        final VlanPlan other =
                VlanPlanner.of(PlanKind.SWITCH_TAGGED, 8)
                        .plan(
                                plan.graph(),
                                LatticeTrees.of(torus, new int[] {1, 0}, LatticeTrees.Ties.TABLE),
                                "dimension-order");
        try (OvsLab lab = new OvsLab(plan.graph(), folder)) {
            // when, then
            lab.run(scripts(SetupMaker.of(plan)));
            checkExactPaths(lab, plan);
            // when, then: another plan, by its changes alone
            lab.run(changes(SetupMaker.of(plan), SetupMaker.of(other)));
            checkExactPaths(lab, other);
        }
    }

    @Test
    void shouldCarryFramesOfAFatTreeAlongPlannedLinksInTheVlansThatHostsChoose()
            throws IOException {
        OvsLab.assumePossible();
        // given: first without static addresses, so that there is flooding to be seen
        final VlanPlan plan =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4)
                        .plan(Trees.fatTree(2, 4, 2), new TopTrees(), "tops");
        final List<SwitchSetup> complete = SetupMaker.of(plan);
        final List<SwitchSetup> bare =
                complete.stream()
                        .map(setup -> new SwitchSetup(setup.name(), true, setup.ports(), List.of()))
                        .toList();
        try (OvsLab lab = new OvsLab(plan.graph(), folder)) {
            lab.run(scripts(bare));
            final FrameTap sender = lab.hostTap(0);
            sender.send(
                    SetupMaker.mac(plan.graph(), 0),
                    SetupMaker.mac(plan.graph(), 15),
                    plan.vid(0),
                    0,
                    15);
            final Sightings flood = new Sightings();
            TestNamespaces.await(
                    "the frame is flooded to all other hosts",
                    () -> {
                        collect(lab, plan.graph(), flood);
                        return flood.count >= plan.tree(0).linkCount() + 15;
                    });
            // when
            lab.run(changes(bare, complete));
            // then
            checkExactPaths(lab, plan);
        }
    }

    @Test
    void shouldCarryFramesOfAFatTreeAlongPlannedLinksWithHostsThatKnowNoVlans() throws IOException {
        OvsLab.assumePossible();
        // given
        final VlanPlan plan =
                VlanPlanner.of(PlanKind.SWITCH_TAGGED, 4)
                        .plan(Trees.fatTree(2, 4, 2), new TopTrees(), "tops");
        try (OvsLab lab = new OvsLab(plan.graph(), folder)) {
            // when
            lab.run(scripts(SetupMaker.of(plan)));
            // then
            checkExactPaths(lab, plan);
        }
    }
}
