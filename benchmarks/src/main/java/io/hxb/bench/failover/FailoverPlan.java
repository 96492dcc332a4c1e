package io.hxb.bench.failover;

import io.hxb.tool.lab.LabSpec;

import java.util.List;

/**
 * One way of failing. Immutable.
 *
 * @param name for tables and files.
 * @param shape of the lab; the messages go from its first node to its last.
 * @param links in each dimension.
 * @param mbit rate of each link.
 * @param seconds length of the run.
 * @param hasPeer whether other systems can do the same.
 * @param isRepeated whether faults and repairs follow one another many times.
 * @param script of the faults.
 */
public record FailoverPlan(
        String name,
        String shape,
        int links,
        int mbit,
        double seconds,
        boolean hasPeer,
        boolean isRepeated,
        String script) {
    private static final int MTU_BYTES = 9000;

    private static String pulls(final int count) {
        final StringBuilder script = new StringBuilder();
        for (int link = 0; link < count; link++) {
            script.append("- {at: %ds, pull: x.%d of (0)}\n".formatted(2 + link, link));
        }
        for (int link = 0; link < count; link++) {
            script.append("- {at: %ds, restore: x.%d of (0)}\n".formatted(2 + count, link));
        }
        return script.toString();
    }

    /** One of two links for a second in three, in turns. */
    private static String alternate(final int times) {
        final StringBuilder script = new StringBuilder();
        for (int i = 0; i < times; i++) {
            script.append("- {at: %ds, pull: x.%d of (0), for: 1s}\n".formatted(2 + 3 * i, i % 2));
        }
        return script.toString();
    }

    /** All of them. */
    public static List<FailoverPlan> all() {
        return List.of(
                new FailoverPlan(
                        "two links, carrier up",
                        "2",
                        2,
                        1000,
                        8,
                        true,
                        false,
                        "- {at: 2s, pull: x.0 of (0), for: 3s}\n"),
                new FailoverPlan(
                        "two links, carrier lost",
                        "2",
                        2,
                        1000,
                        8,
                        true,
                        false,
                        "- {at: 2s, unplug: x.0 of (0), for: 3s}\n"),
                new FailoverPlan(
                        "two links, again and again", "2", 2, 1000, 62, false, true, alternate(20)),
                new FailoverPlan("six links, 1 Gbit/s", "2", 6, 1000, 9, false, false, pulls(5)),
                new FailoverPlan("six links, 250 Mbit/s", "2", 6, 250, 9, true, false, pulls(5)),
                new FailoverPlan(
                        "a relay dies",
                        "2x2x2",
                        1,
                        250,
                        8,
                        false,
                        false,
                        "- {at: 2s, kill: \"(1,0,0)\", for: 3s}\n"));
    }

    /** The lab under a name of its own. */
    LabSpec lab(final String lab) {
        return new LabSpec(
                lab,
                io.hxb.topology.Shape.parse(shape),
                links,
                io.hxb.config.Backend.RAW,
                mbit * 1_000_000L,
                MTU_BYTES);
    }

    /** Coordinates of the last node. */
    public String last() {
        return shape.replace('x', ',').replace('2', '1');
    }

    /** True if sender and receiver are neighbours, so that their wires carry nothing else. */
    public boolean isOneTrunk() {
        return shape.equals("2");
    }

    /** As part of a file name. */
    public String file() {
        return "failover-" + name.replaceAll("[^A-Za-z0-9]+", "-");
    }
}
