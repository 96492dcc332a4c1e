package io.hxb.fabric.generate;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** Random graphs; one seed always makes the same graph. Pure. */
public final class RandomGraphs {
    private RandomGraphs() {}

    /**
     * A connected graph in which every switch has the same number of links, at most one between two
     * switches: stubs are joined at random, bad joins are exchanged with others at random.
     *
     * @param switches at least 2.
     * @param degree links of a switch, below {@code switches}; its product with {@code switches} is
     *     even.
     */
    public static SwitchGraph regular(
            final int switches, final int degree, final int hostsPerSwitch, final long seed) {
        if (switches < 2
                || degree < 1
                || degree >= switches
                || switches * (long) degree % 2 != 0
                || (degree == 1 && switches > 2)) {
            throw new GraphException(
                    "no connected graph has "
                            + switches
                            + " switches with "
                            + degree
                            + " links each: the degree must be below the number of switches and"
                            + " their product even");
        }
        if (switches > SwitchGraphBuilder.MAX_SWITCHES
                || (long) switches * degree / 2 > SwitchGraphBuilder.MAX_LINKS) {
            throw new GraphException(
                    "a graph has at most "
                            + SwitchGraphBuilder.MAX_SWITCHES
                            + " switches and "
                            + SwitchGraphBuilder.MAX_LINKS
                            + " links, not "
                            + switches
                            + " and "
                            + (long) switches * degree / 2
                            + "; make it smaller");
        }
        final SplittableRandom random = new SplittableRandom(seed);
        while (true) {
            final int[] stubs = join(switches, degree, random);
            if (stubs != null && isConnected(switches, stubs)) {
                return build(switches, stubs, hostsPerSwitch);
            }
        }
    }

    /** Pairs of switches, or null when the exchanges did not lead to a simple graph. */
    private static int[] join(final int switches, final int degree, final SplittableRandom random) {
        final int[] stubs = new int[switches * degree];
        for (int i = 0; i < stubs.length; i++) {
            stubs[i] = i / degree;
        }
        shuffle(stubs, random);
        final Set<Long> linked = new HashSet<>(stubs.length);
        final int[] bad = new int[stubs.length];
        int badCount = 0;
        for (int i = 0; i < stubs.length; i += 2) {
            if (!link(linked, stubs[i], stubs[i + 1])) {
                bad[badCount++] = i;
            }
        }
        for (long tries = 100L * stubs.length; badCount > 0 && tries > 0; tries--) {
            final int i = bad[badCount - 1];
            final int j = random.nextInt(stubs.length / 2) * 2;
            if (isBad(bad, badCount, j) || !canExchange(linked, stubs, i, j)) {
                continue;
            }
            linked.remove(pair(stubs[j], stubs[j + 1]));
            final int moved = stubs[i + 1];
            stubs[i + 1] = stubs[j + 1];
            stubs[j + 1] = moved;
            link(linked, stubs[i], stubs[i + 1]);
            link(linked, stubs[j], stubs[j + 1]);
            badCount--;
        }
        return badCount == 0 ? stubs : null;
    }

    private static boolean link(final Set<Long> linked, final int a, final int b) {
        return a != b && linked.add(pair(a, b));
    }

    /** Two switches in any order as one number. */
    private static long pair(final int a, final int b) {
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }

    private static boolean isBad(final int[] bad, final int badCount, final int pair) {
        for (int i = 0; i < badCount; i++) {
            if (bad[i] == pair) {
                return true;
            }
        }
        return false;
    }

    private static boolean canExchange(
            final Set<Long> linked, final int[] stubs, final int i, final int j) {
        final int a = stubs[i];
        final int b = stubs[j + 1];
        final int c = stubs[j];
        final int d = stubs[i + 1];
        final boolean isSame = (a == c && b == d) || (a == d && b == c);
        return a != b
                && c != d
                && !isSame
                && !linked.contains(pair(a, b))
                && !linked.contains(pair(c, d));
    }

    private static void shuffle(final int[] values, final SplittableRandom random) {
        for (int i = values.length - 1; i > 0; i--) {
            final int j = random.nextInt(i + 1);
            final int moved = values[i];
            values[i] = values[j];
            values[j] = moved;
        }
    }

    private static boolean isConnected(final int switches, final int[] stubs) {
        final int[] colours = new int[switches];
        Arrays.setAll(colours, i -> i);
        int parts = switches;
        for (int i = 0; i < stubs.length; i += 2) {
            final int a = root(colours, stubs[i]);
            final int b = root(colours, stubs[i + 1]);
            parts -= a == b ? 0 : 1;
            colours[a] = b;
        }
        return parts == 1;
    }

    private static int root(final int[] colours, final int node) {
        int at = node;
        while (colours[at] != at) {
            colours[at] = colours[colours[at]];
            at = colours[at];
        }
        return at;
    }

    private static SwitchGraph build(
            final int switches, final int[] stubs, final int hostsPerSwitch) {
        final long[] links = new long[stubs.length / 2];
        for (int i = 0; i < links.length; i++) {
            final int a = Math.min(stubs[2 * i], stubs[2 * i + 1]);
            final int b = Math.max(stubs[2 * i], stubs[2 * i + 1]);
            links[i] = (long) a << 32 | b;
        }
        Arrays.sort(links);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(switches);
        for (final long link : links) {
            builder.addLink((int) (link >>> 32), (int) link);
        }
        return builder.addHosts(hostsPerSwitch).build();
    }

    /**
     * A connected graph of any shape: a random tree and further random links, parallel ones among
     * them when {@code isParallelAllowed}.
     *
     * @param extraLinks links beyond those of the tree, at least 0.
     */
    public static SwitchGraph connected(
            final int switches,
            final int extraLinks,
            final boolean isParallelAllowed,
            final int hostsPerSwitch,
            final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(switches);
        final Set<Long> linked = new HashSet<>();
        final int[] names = new int[switches];
        Arrays.setAll(names, i -> i);
        shuffle(names, random);
        for (int i = 1; i < switches; i++) {
            final int j = random.nextInt(i);
            link(linked, names[i], names[j]);
            builder.addLink(names[i], names[j]);
        }
        for (int i = 0; i < extraLinks && switches > 1; i++) {
            final int a = random.nextInt(switches);
            final int b = random.nextInt(switches);
            final boolean isNew = link(linked, a, b);
            if (isNew || (isParallelAllowed && a != b)) {
                builder.addLink(a, b);
            }
        }
        return builder.addHosts(hostsPerSwitch).build();
    }
}
