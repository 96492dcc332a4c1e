package io.hxb.flow;

import io.hxb.link.sim.SimFaults;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Two or three nodes with two applications each on bad links, all drawn from one seed. */
abstract class SimApplications {
    static final int CONTEXTS_A_NODE = 2;

    final SplittableRandom random;
    final int nodeCount;
    final List<SimContext> all = new ArrayList<>();
    private final long seed;
    private final int maxReorderingNs;
    private SimWorld world;

    /**
     * Draws the number of nodes.
     *
     * @param maxReorderingNs up to so much later frames arrive that others overtake.
     */
    SimApplications(final long seed, final int maxReorderingNs) {
        this.seed = seed;
        this.maxReorderingNs = maxReorderingNs;
        random = new SplittableRandom(seed);
        nodeCount = 2 + random.nextInt(2);
    }

    /** Draws what the nodes' flows are made with. */
    abstract FlowSetup setup();

    /** What happens while the nodes run, and what must be true then. */
    abstract void live();

    /** Makes the nodes, lets them live, and closes them. */
    final void run() {
        final FlowSetup setup = setup();
        final int links = 1 + random.nextInt(3);
        final int loops = 1 + random.nextInt(2);
        try (SimWorld made = new SimWorld(seed, nodeCount, links, loops, setup, faults())) {
            world = made;
            for (int node = 0; node < nodeCount; node++) {
                for (int id = 0; id < CONTEXTS_A_NODE; id++) {
                    all.add(world.open(node, id, 16 + random.nextInt(64)));
                }
            }
            live();
        }
    }

    final SimWorld world() {
        return world;
    }

    private SimFaults faults() {
        return SimFaults.NONE
                .withDelay(1_000 + random.nextInt(100_000), random.nextInt(50_000))
                .withLoss(random.nextDouble() * 0.1, random.nextDouble() * 0.05)
                .withReordering(random.nextDouble() * 0.3, random.nextInt(maxReorderingNs));
    }
}
