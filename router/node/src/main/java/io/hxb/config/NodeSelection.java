package io.hxb.config;

import io.hxb.topology.Shape;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which node of the cluster this process is, and what decided it. Immutable.
 *
 * @param node node id.
 * @param coordinates its coordinate vector.
 * @param source what decided, for messages: {@code --node}, {@code HXB_NODE}, {@code hosts} and so
 *     on.
 */
public record NodeSelection(int node, long coordinates, String source) {
    private static final Pattern ORDINAL = Pattern.compile(".*-(0|[1-9]\\d{0,6})");

    private static final String POD_ADVICE =
            "; this pod has the name of its machine (hostNetwork), so HXB_NODE has to come from its"
                    + " label apps.kubernetes.io/pod-index";

    /**
     * Decides which node this process is: by the option, otherwise HXB_NODE, otherwise the file's
     * {@code hosts}, otherwise Slurm (SLURM_PROCID, SLURM_NODEID), otherwise the ordinal at the end
     * of a Kubernetes StatefulSet's host name. Such an ordinal never begins with a 0, and the name
     * of a pod with {@code hostNetwork} is that of its machine, which has none.
     *
     * @param option node id, coordinates such as {@code 1,0,2}, or a name under {@code hosts}; null
     *     when not given.
     * @param environment environment variables.
     * @param hostName name of this host, with or without domain.
     * @param isOfMachine whether the host name is that of a machine, even for a pod.
     * @throws ConfigException if none of these names a node, or one is not valid.
     */
    public static NodeSelection resolve(
            final ClusterConfig config,
            final String option,
            final Map<String, String> environment,
            final String hostName,
            final boolean isOfMachine) {
        if (option != null) {
            return named(config, option, "--node");
        }
        final String variable = environment.get("HXB_NODE");
        if (variable != null && !variable.isBlank()) {
            return named(config, variable, "HXB_NODE");
        }
        final String shortName = hostName.split("\\.", 2)[0];
        final Long listed = config.hosts().getOrDefault(hostName, config.hosts().get(shortName));
        if (listed != null) {
            return new NodeSelection(
                    config.shape().node(listed), listed, "hosts entry " + hostName);
        }
        for (final String name : List.of("SLURM_PROCID", "SLURM_NODEID")) {
            if (environment.get(name) != null) {
                return parse(config.shape(), environment.get(name), name);
            }
        }
        final boolean isInPod = environment.containsKey("KUBERNETES_SERVICE_HOST");
        final Matcher ordinal = ORDINAL.matcher(shortName);
        if (isInPod && !isOfMachine && ordinal.matches()) {
            return parse(config.shape(), ordinal.group(1), "host name " + hostName);
        }
        throw new ConfigException(
                List.of(
                        "the node of this machine in the shape "
                                + config.shape()
                                + " is not known: give --node X,Y,Z, set HXB_NODE, or list"
                                + " host '"
                                + hostName
                                + "' under hosts: in the cluster file"
                                + (isInPod && isOfMachine ? POD_ADVICE : "")));
    }

    /** A node by a host name of the file, its id or coordinates. */
    private static NodeSelection named(
            final ClusterConfig config, final String text, final String source) {
        final Long listed = config.hosts().get(text.strip());
        return listed == null
                ? parse(config.shape(), text, source)
                : new NodeSelection(config.shape().node(listed), listed, source);
    }

    private static NodeSelection parse(final Shape shape, final String text, final String source) {
        final String value = text.strip();
        try {
            if (!value.matches("\\d+") || shape.dimensions() == 1) {
                final long coordinates = shape.parseCoordinates(value);
                return new NodeSelection(shape.node(coordinates), coordinates, source);
            }
            final int node = value.length() < 8 ? Integer.parseInt(value) : Integer.MAX_VALUE;
            return new NodeSelection(node, shape.coordinates(node), source);
        } catch (final IllegalArgumentException e) {
            throw new ConfigException(
                    List.of(
                            source
                                    + " does not name a node of "
                                    + shape
                                    + ": "
                                    + e.getMessage()
                                    + "; give a node id 0.."
                                    + (shape.nodeCount() - 1)
                                    + " or coordinates"));
        }
    }
}
