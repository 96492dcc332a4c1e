package io.hxb.fabric.generate;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.TextLines;

import java.util.Arrays;
import java.util.List;

/**
 * Generated graphs as text: {@code name:numbers}, such as {@code torus:8x8}, {@code fat-tree:2,4,2}
 * or {@code random:64,4,seed}. Pure.
 */
public final class GraphSpec {
    /** Every notation with what it makes, for help texts and messages. */
    public static final List<String> NOTATIONS =
            List.of(
                    "mesh:4x4",
                    "torus:8x8x8",
                    "cube:K,N (k-ary n-cube)",
                    "hypercube:N",
                    "hyper-crossbar:4x4x2",
                    "hyperx:4x4",
                    "fat-tree:U,D,M",
                    "clos:LEAVES,TOPS",
                    "vbft:LEAVES,TOPS",
                    "myrinet-clos:N",
                    "tree:SWITCHES,ARITY",
                    "dragonfly:SWITCHES-PER-GROUP,GLOBAL-LINKS",
                    "full:N",
                    "ring:N",
                    "chain:N",
                    "star:N",
                    "random:SWITCHES,DEGREE,SEED");

    /** Up to as many numbers as a lattice may have dimensions; no other graph takes more. */
    private static final String NUMBERS = "\\d{1,9}([x,]\\d{1,9}){0,15}";

    private GraphSpec() {}

    /** Whether a word is meant as a generated graph: it starts with a known name and a colon. */
    public static boolean isSpec(final String text) {
        final int colon = text.indexOf(':');
        return colon > 0
                && NOTATIONS.stream()
                        .anyMatch(form -> form.startsWith(text.substring(0, colon + 1)));
    }

    /**
     * Makes the graph.
     *
     * @param hostsPerSwitch hosts on each switch, or on each leaf of a tree; a fat tree and a
     *     hyper-crossbar fix their own number.
     * @throws GraphException with what is wrong with the words or the numbers.
     */
    public static SwitchGraph parse(final String text, final int hostsPerSwitch) {
        final int colon = text.indexOf(':');
        if (!isSpec(text) || !text.substring(colon + 1).matches(NUMBERS)) {
            throw new GraphException(
                    TextLines.quote(text)
                            + " is not a graph; write one of "
                            + String.join(", ", NOTATIONS));
        }
        final int[] n = numbers(text.substring(colon + 1));
        final String name = text.substring(0, colon);
        return switch (name) {
            case "mesh" -> Lattice.mesh(n).graph(hostsPerSwitch);
            case "torus" -> Lattice.torus(n).graph(hostsPerSwitch);
            case "cube" -> lattice(need(text, n, 2)).graph(hostsPerSwitch);
            case "hypercube" -> Lattice.mesh(twos(need(text, n, 1)[0])).graph(hostsPerSwitch);
            case "hyper-crossbar" -> Crossbars.hyperCrossbar(n);
            case "hyperx" -> Crossbars.hyperX(hostsPerSwitch, n);
            case "fat-tree" -> Trees.fatTree(need(text, n, 3)[0], n[1], n[2]);
            case "clos", "vbft" -> Trees.leafSpine(need(text, n, 2)[0], n[1], hostsPerSwitch);
            case "myrinet-clos" -> Trees.myrinetClos(need(text, n, 1)[0], hostsPerSwitch);
            case "tree" -> Trees.tree(need(text, n, 2)[0], n[1], hostsPerSwitch);
            case "dragonfly" -> Crossbars.dragonfly(need(text, n, 2)[0], n[1], hostsPerSwitch);
            case "full" -> Crossbars.hyperX(hostsPerSwitch, atLeast(2, text, n));
            case "ring" -> Lattice.torus(atLeast(3, text, n)).graph(hostsPerSwitch);
            case "chain" -> Lattice.mesh(atLeast(2, text, n)).graph(hostsPerSwitch);
            case "star" -> star(atLeast(2, text, n), hostsPerSwitch);
            default -> RandomGraphs.regular(need(text, n, 3)[0], n[1], hostsPerSwitch, n[2]);
        };
    }

    /** The nodes that a hyper-crossbar's text describes, null for any other text. */
    public static Lattice crossbar(final String text) {
        final String prefix = "hyper-crossbar:";
        return text.matches(prefix + NUMBERS)
                ? Lattice.mesh(numbers(text.substring(prefix.length())))
                : null;
    }

    private static int[] numbers(final String text) {
        return Arrays.stream(text.split("[x,]", -1)).mapToInt(Integer::parseInt).toArray();
    }

    private static int[] need(final String text, final int[] numbers, final int count) {
        if (numbers.length != count) {
            throw new GraphException(
                    "'" + text + "' has " + numbers.length + " numbers, it needs " + count);
        }
        return numbers;
    }

    /** The only number of a graph, which has to be large enough. */
    private static int atLeast(final int min, final String text, final int[] numbers) {
        final int switches = need(text, numbers, 1)[0];
        if (switches < min) {
            throw new GraphException("'" + text + "' needs at least " + min + " switches");
        }
        return switches;
    }

    /** Switch 0 in the middle, linked with each of the others. */
    private static SwitchGraph star(final int switches, final int hostsPerSwitch) {
        return Trees.tree(switches, switches - 1, hostsPerSwitch);
    }

    private static int[] twos(final int dimensions) {
        return filled(dimensions, 2);
    }

    private static Lattice lattice(final int[] aryAndDimensions) {
        return Lattice.torus(filled(aryAndDimensions[1], aryAndDimensions[0]));
    }

    private static int[] filled(final int dimensions, final int extent) {
        if (dimensions < 1 || dimensions > 16) {
            throw new GraphException("a cube has 1 to 16 dimensions, not " + dimensions);
        }
        final int[] extents = new int[dimensions];
        Arrays.fill(extents, extent);
        return extents;
    }
}
