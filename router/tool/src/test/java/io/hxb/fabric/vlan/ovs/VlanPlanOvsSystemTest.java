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
import io.hxb.testing.FrameTap;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Open vSwitch, set up from a plan, carries frames between all hosts along the planned links and no
 * others.
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

    /** A frame where it was seen. */
    private record Sighting(int place, FrameTap.Seen frame) implements Comparable<Sighting> {
        private static final Comparator<Sighting> ORDER =
                Comparator.comparingInt(Sighting::place)
                        .thenComparingInt(sighting -> sighting.frame().from())
                        .thenComparingInt(sighting -> sighting.frame().to())
                        .thenComparingInt(sighting -> sighting.frame().vid());

        boolean isOf(final int from, final int to) {
            return frame.from() == from && frame.to() == to;
        }

        @Override
        public int compareTo(final Sighting other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Sends frames from host to host, again while they have not been seen wherever the plan wants
     * them (switches may lose frames, and these do when the machine is busy), and notes how often
     * each was seen where: at channel numbers, at hosts from 100,000. Frames carry the number of
     * their run, so that a late one of the plan before is not taken for one of this plan.
     */
    private static final class Traffic {
        private static final int HOSTS = 100_000;
        private static final int RUN = 1_000;
        private static final int TRIES = 20;
        private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);
        private final OvsLab lab;
        private final VlanPlan plan;
        private final SwitchGraph graph;
        private final int run;
        private final SortedMap<Sighting, Integer> seen = new TreeMap<>();
        private final Map<List<Integer>, Integer> sent = new HashMap<>();

        Traffic(final OvsLab lab, final VlanPlan plan, final int run) {
            this.lab = lab;
            this.plan = plan;
            this.run = run;
            graph = plan.graph();
        }

        void collect() {
            for (int channel = 0; channel < graph.channelCount(); channel++) {
                note(channel, lab.channelTap(channel).receive());
            }
            for (int host = 0; host < graph.hostCount(); host++) {
                note(HOSTS + host, lab.hostTap(host).receive());
            }
        }

        private void note(final int place, final List<FrameTap.Seen> frames) {
            for (final FrameTap.Seen frame : frames) {
                if (frame.from() / RUN == run) {
                    final FrameTap.Seen plain =
                            new FrameTap.Seen(frame.vid(), frame.from() % RUN, frame.to());
                    seen.merge(new Sighting(place, plain), 1, Integer::sum);
                }
            }
        }

        void send(final int from, final int to) {
            sent.merge(List.of(from, to), 1, Integer::sum);
            lab.hostTap(from)
                    .send(
                            SetupMaker.mac(graph, from),
                            to == TO_ALL ? ALL : SetupMaker.mac(graph, to),
                            tag(from, to),
                            run * RUN + from,
                            to);
        }

        private int tag(final int from, final int to) {
            return plan.kind() == PlanKind.HOST_TAGGED
                    ? plan.vid(to == TO_ALL ? plan.vlanOf(from) : plan.vlanOf(from, to))
                    : FrameTap.NO_TAG;
        }

        /** Every place that the plan names for the frame of a pair. */
        private List<Sighting> wanted(final int from, final int to) {
            final List<Sighting> wanted = new ArrayList<>();
            final int vid = plan.vid(plan.vlanOf(from, to));
            for (final int channel : plan.path(from, to)) {
                wanted.add(new Sighting(channel, new FrameTap.Seen(vid, from, to)));
            }
            wanted.add(new Sighting(HOSTS + to, new FrameTap.Seen(tag(from, to), from, to)));
            return wanted;
        }

        /** The frames of all pairs; returns what must be seen of them by the plan. */
        SortedSet<Sighting> sendAllPairs() {
            final SortedSet<Sighting> all = new TreeSet<>();
            sendUntil(
                    "frames of all pairs have arrived",
                    () -> {
                        for (int from = 0; from < graph.hostCount(); from++) {
                            for (int to = 0; to < graph.hostCount(); to++) {
                                if (to != from) {
                                    final List<Sighting> wanted = wanted(from, to);
                                    all.addAll(wanted);
                                    if (!seen.keySet().containsAll(wanted)) {
                                        send(from, to);
                                    }
                                }
                            }
                        }
                    },
                    () -> seen.keySet().containsAll(all));
            return all;
        }

        /** Frames to all: every other host gets them once, over every link of the tree. */
        void sendBroadcasts() {
            for (int host = 0; host < graph.hostCount(); host++) {
                final int from = host;
                final int places = plan.tree(plan.vlanOf(from)).linkCount() + graph.hostCount() - 1;
                sendUntil(
                        "the broadcast of host " + from + " has arrived",
                        () -> send(from, TO_ALL),
                        () -> broadcastPlaces(from) >= places);
                assertEquals(places, broadcastPlaces(from), "places of broadcasts of " + from);
            }
        }

        private long broadcastPlaces(final int from) {
            return seen.keySet().stream().filter(one -> one.isOf(from, TO_ALL)).count();
        }

        void sendUntil(
                final String condition, final Runnable sending, final BooleanSupplier isDone) {
            final BooleanSupplier isSeen =
                    () -> {
                        collect();
                        return isDone.getAsBoolean();
                    };
            for (int tries = 0; tries < TRIES; tries++) {
                sending.run();
                if (TestNamespaces.holdsWithin(PATIENCE_NS, isSeen)) {
                    return;
                }
            }
            throw new AssertionError("sent " + TRIES + " times in vain until " + condition);
        }

        void checkCopies() {
            seen.forEach(
                    (sighting, times) -> {
                        final int limit =
                                sent.get(List.of(sighting.frame().from(), sighting.frame().to()));
                        assertTrue(
                                times <= limit,
                                () -> times + " copies, sent " + limit + " times: " + sighting);
                    });
        }
    }

    /** The frames of the plan are seen, and nothing is seen anywhere else. */
    private static void checkExactPaths(final OvsLab lab, final VlanPlan plan, final int run) {
        final Traffic traffic = new Traffic(lab, plan, run);

        final SortedSet<Sighting> expected = traffic.sendAllPairs();
        // They also push every late frame of the pairs out of the queues.
        traffic.sendBroadcasts();

        final SortedSet<Sighting> unicast = new TreeSet<>(traffic.seen.keySet());
        unicast.removeIf(sighting -> sighting.frame().to() == TO_ALL);
        assertEquals(expected, unicast);
        traffic.checkCopies();
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
            checkExactPaths(lab, plan, 1);
            // when, then: another plan, by its changes alone
            lab.run(changes(SetupMaker.of(plan), SetupMaker.of(other)));
            checkExactPaths(lab, other, 2);
        }
    }

    @Tag("outside")
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
            final Traffic flood = new Traffic(lab, plan, 0);
            flood.sendUntil(
                    "the frame is flooded to all other hosts",
                    () -> flood.send(0, 15),
                    () -> flood.seen.size() >= plan.tree(0).linkCount() + 15);
            // when
            lab.run(changes(bare, complete));
            // then
            checkExactPaths(lab, plan, 1);
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
            checkExactPaths(lab, plan, 1);
        }
    }
}
