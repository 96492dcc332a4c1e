package io.hxb.tool.sim.paper;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.RandomGraphs;

import java.util.ArrayList;
import java.util.List;

/** The networks of the thesis: random ones of four links and four hosts a switch, and a torus. */
final class NetworkSet {
    private static final int HOSTS = 4;
    private static final int LINKS = 4;

    private NetworkSet() {}

    /** So many random networks. */
    static List<SwitchGraph> random(final int switches, final int count) {
        final List<SwitchGraph> graphs = new ArrayList<>();
        for (int seed = 1; seed <= count; seed++) {
            graphs.add(RandomGraphs.regular(switches, LINKS, HOSTS, seed));
        }
        return graphs;
    }

    /** The 8 x 8 torus. */
    static List<SwitchGraph> torus() {
        return List.of(Lattice.torus(8, 8).graph(HOSTS));
    }
}
