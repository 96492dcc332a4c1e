package io.hxb.tool.lab;

import io.hxb.config.Dimensions;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Names of everything in a lab: namespaces, NICs, switch ports, bridges and MAC addresses, as pure
 * functions. Stateless.
 */
public final class LabNames {
    private static final String PREFIX = "hxb-";
    private static final String SWITCH = "switch";

    private LabNames() {}

    /** True if a lab can have that name. */
    static boolean isName(final String lab) {
        return lab.matches("[a-z]([a-z0-9-]{0,14}[a-z0-9])?");
    }

    /**
     * Requires a name that a lab can have.
     *
     * <p>* @throws IllegalArgumentException that describes valid names.
     */
    static void check(final String lab) {
        if (!isName(lab)) {
            throw new IllegalArgumentException(complaint(lab));
        }
    }

    /** What is wrong with a name that no lab can have. */
    static String complaint(final String lab) {
        return "a lab name has 1 to 16 lower-case letters, digits and dashes, beginning with a"
                + " letter: '"
                + lab
                + "'";
    }

    /** NIC in a node's namespace, such as {@code y1}. */
    public static String nic(final int dimension, final int link) {
        return Dimensions.name(dimension) + link;
    }

    /** The NICs in a node's namespace. */
    static List<String> nics(final LabSpec spec, final int node) {
        final List<String> nics = new ArrayList<>();
        for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
            for (int link = 0; link < spec.linkCount(node); link++) {
                nics.add(nic(dimension, link));
            }
        }
        return nics;
    }

    /** Namespace of a node, such as {@code hxb-lab-17}. */
    public static String namespace(final String lab, final int node) {
        return namespacePattern(lab).replace("{node}", Integer.toString(node));
    }

    /** The same for all nodes, as cluster files write it: {@code hxb-lab-{node}}. */
    public static String namespacePattern(final String lab) {
        return PREFIX + lab + "-{node}";
    }

    /** Namespace that holds the bridges. */
    public static String switchNamespace(final String lab) {
        return PREFIX + lab + "-" + SWITCH;
    }

    /** The lab that a namespace belongs to; empty when it is not one of ours. */
    public static Optional<String> labOf(final String namespace) {
        final int end = namespace.lastIndexOf('-');
        if (!namespace.startsWith(PREFIX) || end <= PREFIX.length()) {
            return Optional.empty();
        }
        final String last = namespace.substring(end + 1);
        final boolean isOurs = last.equals(SWITCH) || last.matches("\\d{1,7}");
        return isOurs ? Optional.of(namespace.substring(PREFIX.length(), end)) : Optional.empty();
    }

    /** The switch's end of a node's veth pair, such as {@code y1.17}. */
    public static String port(final int dimension, final int link, final int node) {
        return nic(dimension, link) + "." + node;
    }

    /**
     * Bridge of one line and link, such as {@code by1.15}; a line is known by its first node. A
     * cable's bridge has the link and node of the cable's first end.
     */
    public static String bridge(final int dimension, final int link, final int firstNodeOfLine) {
        return "b" + nic(dimension, link) + "." + firstNodeOfLine;
    }

    /** First node (coordinate 0) of the line through {@code node} along {@code dimension}. */
    public static int firstNodeOfLine(final Shape shape, final int node, final int dimension) {
        return shape.node(Shape.withCoordinate(shape.coordinates(node), dimension, 0));
    }

    /** MAC address of a NIC: locally administered, different for every NIC of a lab. */
    public static String mac(final int dimension, final int link, final int node) {
        return String.format(
                Locale.ROOT,
                "02:48:%02x:%02x:%02x:%02x",
                dimension << 4 | link,
                node >>> 16 & 0xFF,
                node >>> 8 & 0xFF,
                node & 0xFF);
    }
}
