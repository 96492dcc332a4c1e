package io.hxb.tool.chaos.script;

import io.hxb.config.Dimensions;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Finds the cables and nodes that a text means. Immutable.
 *
 * <pre>
 * x.0 of (1,0)         the cable of one NIC
 * x.* of (1,0)         all cables of the node in one dimension; *.* or * in all dimensions
 * x.0 of *             that cable of every node
 * switch x.0 of (1,0)  every cable of that switch: those of all nodes on its line
 * (1,0)                a node; parentheses may be left out; * for all nodes
 * </pre>
 */
public final class Selector {
    private static final Pattern CABLES =
            Pattern.compile("(switch\\s+)?(\\S+)\\s+of\\s+(\\S.*)", Pattern.CASE_INSENSITIVE);
    private static final String EXAMPLE = "'x.0 of (0,0)'";

    private final Shape shape;
    private final int linkCount;

    /** Makes a selector for a lab of this shape with that many links in each dimension. */
    public Selector(final Shape shape, final int linkCount) {
        this.shape = shape;
        this.linkCount = linkCount;
    }

    Shape shape() {
        return shape;
    }

    int linkCount() {
        return linkCount;
    }

    /**
     * The cables that are meant, at least one.
     *
     * @throws IllegalArgumentException with what is wrong and what there is.
     */
    public List<Cable> cables(final String text) {
        final Matcher matcher = CABLES.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "must be cables such as " + EXAMPLE + ", not '" + text + "'");
        }
        final List<Integer> nodes = nodes(matcher.group(3));
        final List<Cable> cables = new ArrayList<>();
        for (final int node : nodes) {
            addCables(matcher.group(2), node, cables);
        }
        return matcher.group(1) == null ? cables : ofSwitches(cables);
    }

    /** The nodes that are meant, at least one; errors as {@link #cables}. */
    public List<Integer> nodes(final String text) {
        final String bare = text.strip().replaceAll("^\\((.*)\\)$", "$1").replaceAll("\\s", "");
        if (bare.equals("*")) {
            return IntStream.range(0, shape.nodeCount()).boxed().toList();
        }
        return List.of(shape.node(shape.parseCoordinates(bare)));
    }

    private void addCables(final String text, final int node, final List<Cable> cables) {
        final String[] parts = text.equals("*") ? new String[] {"*", "*"} : text.split("\\.", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException(
                    "links are written like x.0, as in " + EXAMPLE + ", not '" + text + "'");
        }
        for (final int dimension : dimensions(parts[0], text)) {
            for (final int link : links(parts[1], text)) {
                cables.add(new Cable(node, dimension, link));
            }
        }
    }

    private List<Integer> dimensions(final String name, final String text) {
        if (name.equals("*")) {
            return IntStream.range(0, shape.dimensions()).boxed().toList();
        }
        final int dimension = Dimensions.parse(name);
        if (dimension < 0 || dimension >= shape.dimensions()) {
            throw new IllegalArgumentException(
                    "there is no link '" + text + "': the shape " + shape + " has " + known());
        }
        return List.of(dimension);
    }

    private List<Integer> links(final String number, final String text) {
        if (number.equals("*")) {
            return IntStream.range(0, linkCount).boxed().toList();
        }
        if (!number.matches("\\d{1,3}") || Integer.parseInt(number) >= linkCount) {
            throw new IllegalArgumentException(
                    "there is no link '"
                            + text
                            + "': a dimension of this lab has the links 0 to "
                            + (linkCount - 1));
        }
        return List.of(Integer.parseInt(number));
    }

    private String known() {
        final String last = Dimensions.name(shape.dimensions() - 1);
        return shape.dimensions() == 1 ? "only dimension x" : "the dimensions x to " + last;
    }

    private List<Cable> ofSwitches(final List<Cable> cables) {
        return cables.stream()
                .flatMap(
                        cable ->
                                IntStream.range(0, shape.extent(cable.dimension()))
                                        .mapToObj(place -> neighbour(cable, place)))
                .distinct()
                .toList();
    }

    private Cable neighbour(final Cable cable, final int place) {
        final long coordinates =
                Shape.withCoordinate(shape.coordinates(cable.node()), cable.dimension(), place);
        return new Cable(shape.node(coordinates), cable.dimension(), cable.link());
    }
}
