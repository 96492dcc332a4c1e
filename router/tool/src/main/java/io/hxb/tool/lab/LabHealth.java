package io.hxb.tool.lab;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.CounterReader;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeFiles;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.observe.live.NodeState;
import io.hxb.observe.live.Urgency;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How the nodes and links of one lab fare, and what is wrong, the most severe first. Immutable.
 *
 * @param running nodes that run.
 * @param nodes nodes that it was made with.
 * @param goodLinks links of all nodes that carry their full load.
 * @param links links of all nodes that have counters.
 * @param problems what is wrong.
 */
public record LabHealth(int running, int nodes, long goodLinks, int links, List<Problem> problems) {
    private static final Logger LOGGER = LoggerFactory.getLogger(LabHealth.class);

    /** Copies the list. */
    public LabHealth {
        problems = List.copyOf(problems);
    }

    /**
     * Something wrong. Immutable.
     *
     * @param urgency how soon somebody should look.
     * @param text without a full stop.
     * @param command that shows more, without the program and the name of the lab.
     */
    public record Problem(Urgency urgency, String text, String command) {
        /**
         * A line with the whole command.
         *
         * @param program how this program was called.
         * @param lab name of the lab.
         */
        public String line(final String program, final String lab) {
            final String name = lab.equals("lab") ? "" : " --name " + lab;
            return lab + ": " + text + ": " + program + " " + command + name;
        }
    }

    /** Reads the counters of a lab of nodes; those that cannot be read are left out. */
    public static LabHealth of(final LabRegistry registry, final LabState lab) {
        final List<NodeSample> samples = new ArrayList<>();
        final Path cluster = registry.folder(lab.name()).resolve("cluster.yaml");
        if (Files.exists(cluster)) {
            for (final Path file : NodeFiles.of(ClusterConfigYaml.read(cluster))) {
                try (CounterReader reader = CounterReader.open(file)) {
                    samples.add(new NodeSampler().sample(reader, System.nanoTime()));
                } catch (final IOException e) {
                    LOGGER.debug("{} is left out", file, e);
                }
            }
        }
        return of(lab.spec().shape().nodeCount(), samples);
    }

    /** Judges nodes by their samples. */
    static LabHealth of(final int nodes, final List<NodeSample> samples) {
        final List<Problem> problems = new ArrayList<>();
        for (final NodeSample node : samples) {
            final String name = "(" + node.coordinates() + ")";
            if (node.state() == NodeState.RUNNING) {
                ofLinks(node, name, problems);
                ofRoutes(node, name, problems);
            } else {
                problems.add(
                        new Problem(
                                node.urgency(),
                                "node " + name + " is " + node.stateText(),
                                "events --node " + node.coordinates()));
            }
        }
        final int missing = nodes - samples.size();
        if (missing > 0) {
            final String who = missing == 1 ? "1 node has" : missing + " nodes have";
            problems.add(new Problem(Urgency.LESS, who + " not started yet", "doctor"));
        }
        // Those of the same urgency stay in the order of their nodes.
        problems.sort(Comparator.comparing(Problem::urgency).reversed());
        return new LabHealth(
                (int) samples.stream().filter(node -> node.state() == NodeState.RUNNING).count(),
                nodes,
                samples.stream().mapToLong(NodeSample::goodLinks).sum(),
                samples.stream().mapToInt(node -> node.links().size()).sum(),
                problems);
    }

    private static void ofLinks(
            final NodeSample node, final String name, final List<Problem> problems) {
        for (final LinkSample link : node.links()) {
            if (link.condition() == LinkCondition.GOOD) {
                continue;
            }
            final Urgency urgency = link.condition().urgency();
            final String reason =
                    link.condition() == LinkCondition.FAILED && !link.lastReason().isEmpty()
                            ? " (" + link.lastReason() + ")"
                            : "";
            problems.add(
                    new Problem(
                            urgency,
                            "link " + name + " " + link.label() + " " + link.state() + reason,
                            urgency == Urgency.LESS
                                    ? "stat --per-link --node " + node.coordinates()
                                    : "doctor"));
        }
    }

    private static void ofRoutes(
            final NodeSample node, final String name, final List<Problem> problems) {
        final long troubled = node.routes().troubled();
        if (troubled > 0) {
            final String where = troubled == 1 ? "1 node" : troubled + " nodes";
            problems.add(
                    new Problem(
                            Urgency.LESS,
                            "node " + name + " has trouble on routes to " + where,
                            "doctor"));
        }
    }
}
