package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.log.Printable;
import io.hxb.topology.Shape;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of the nodes of a cluster: a host name of the file's {@code hosts}, coordinates such as
 * {@code 1,0,0} (or {@code 1-0-0}, since programs refuse commas in host names), or a node id such
 * as {@code 3} or {@code node3}; each also before {@code .CLUSTER.hxb}. Immutable.
 */
public final class NodeNames {
    private static final int MAX_SHOWN = 80;
    private static final Pattern NUMBER = Pattern.compile("\\bnode (\\d{1,9})\\b");

    private final Shape shape;
    private final String suffix;
    private final Map<String, Long> hosts = new HashMap<>();
    private final Map<Integer, String> hostOfNode = new HashMap<>();

    /** The names in a cluster that gives its nodes none, as labs. */
    public NodeNames(final String cluster, final Shape shape) {
        this.shape = shape;
        suffix = "." + cluster.toLowerCase(Locale.ROOT) + ".hxb";
    }

    /** The names that a cluster file gives. */
    public NodeNames(final ClusterConfig config) {
        this(config.name(), config.shape());
        config.hosts()
                .forEach(
                        (name, vector) -> {
                            hosts.put(name.toLowerCase(Locale.ROOT), vector);
                            hostOfNode.put(shape.node(vector), Printable.of(name, MAX_SHOWN));
                        });
    }

    /** The host name that the file gives to a node; empty if it gives none. */
    public Optional<String> host(final int node) {
        return Optional.ofNullable(hostOfNode.get(node));
    }

    /**
     * A text for people with host names in place of numbers: {@code node 3} becomes {@code pc-d},
     * where the file names the host of that node.
     */
    public String in(final String text) {
        return hostOfNode.isEmpty()
                ? text
                : NUMBER.matcher(text)
                        .replaceAll(
                                found ->
                                        Matcher.quoteReplacement(
                                                host(Integer.parseInt(found.group(1)))
                                                        .orElse(found.group())));
    }

    /**
     * The node of a name.
     *
     * @param text in any case.
     * @return node id.
     * @throws IllegalArgumentException if no node has it; the message has the names that there are.
     */
    public int node(final String text) {
        final String whole = text.toLowerCase(Locale.ROOT);
        final boolean isLong = whole.endsWith(suffix);
        final String name = isLong ? whole.substring(0, whole.length() - suffix.length()) : whole;
        final Long listed = hosts.getOrDefault(whole, hosts.get(name));
        if (listed != null) {
            return shape.node(listed);
        }
        if (name.matches("node\\d{1,7}")) {
            return checked(text, Integer.parseInt(name.substring("node".length())));
        }
        try {
            if (name.matches("\\d+(-\\d+)+")) {
                return shape.node(shape.parseCoordinates(name.replace('-', ',')));
            }
            if (!name.matches("\\d+") || shape.dimensions() == 1) {
                return shape.node(shape.parseCoordinates(name));
            }
        } catch (final IllegalArgumentException e) {
            throw unknown(text, e);
        }
        return checked(text, name.length() < 8 ? Integer.parseInt(name) : Integer.MAX_VALUE);
    }

    private int checked(final String text, final int node) {
        if (node >= shape.nodeCount()) {
            throw unknown(text, null);
        }
        return node;
    }

    private IllegalArgumentException unknown(final String text, final Throwable cause) {
        final StringBuilder message =
                new StringBuilder("no node of this cluster is called '")
                        .append(Printable.of(text, MAX_SHOWN))
                        .append("': a node is called by its id, 0 to ")
                        .append(shape.nodeCount() - 1)
                        .append(", by coordinates in ")
                        .append(shape);
        if (!hosts.isEmpty()) {
            message.append(", or by a name under hosts: in the cluster file");
        }
        return new IllegalArgumentException(
                message.append("; NODE").append(suffix).append(" is the same").toString(), cause);
    }
}
