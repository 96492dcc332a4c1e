package io.hxb.tool.option;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NameFilter;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Options that select the nodes and links of a cluster to show. Picocli fills it. */
public final class Selection {
    private static final int MAX_NAMED = 8;
    private static final List<String> NODE_STATES =
            Stream.concat(
                            Stream.of(NodeState.values()).map(NodeState::toString),
                            Stream.of(NodeSample.UNHEARD))
                    .toList();

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description = {
                "show only this node: a host name of the cluster file, its id, or coordinates "
                        + "such as 1,0,0 or 1,*,*; may be repeated"
            })
    private List<String> nodes = List.of();

    @Option(
            names = "--link",
            paramLabel = "LINK",
            split = ",",
            description = "show only these links, such as x.0,y.* or *.1")
    private List<String> links = List.of();

    @Option(
            names = "--state",
            paramLabel = "STATE",
            split = ",",
            description =
                    "show only links that are good, weak, alone, failed, down or unknown, and "
                            + "their nodes; or nodes that are running, stopped, dead, or unheard "
                            + "(on other machines)")
    private List<String> states = List.of();

    /** Picocli makes it. */
    public Selection() {}

    /**
     * Checks what was given as far as it can be without the nodes.
     *
     * @throws UsageException naming what is wrong.
     */
    public void check() {
        final Set<String> known = new LinkedHashSet<>();
        for (final LinkCondition condition : LinkCondition.values()) {
            known.add(condition.word());
        }
        known.addAll(NODE_STATES);
        for (final String state : states()) {
            if (!known.contains(state)) {
                throw new UsageException(
                        "--state '" + state + "' is none of " + String.join(", ", known));
            }
        }
        for (final String node : nodes) {
            if (!isPattern(node) && !node.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
                throw new UsageException(
                        "--node is a host name of the cluster file, an id, or coordinates such as"
                                + " 1,0,0 or 1,*,*: '"
                                + node
                                + "'");
            }
        }
        for (final String link : links) {
            if (!link.strip().matches("[a-z0-9*]+\\.[0-9*]+|\\*")) {
                throw new UsageException(
                        "--link is a dimension and a number, such as x.0, x.* or *.1: '"
                                + link
                                + "'");
            }
        }
    }

    private static boolean isPattern(final String node) {
        return node.matches("(\\d{1,7}|\\*)(,(\\d{1,3}|\\*))*");
    }

    /**
     * Takes names of nodes for what they name.
     *
     * @throws UsageException if no node of the cluster has a name that was given.
     */
    public void resolve(final NodeNames names) {
        nodes =
                nodes.stream()
                        .map(
                                node ->
                                        isPattern(node)
                                                ? node
                                                : Integer.toString(
                                                        UsageException.check(
                                                                "--node", () -> names.node(node))))
                        .toList();
    }

    private List<String> states() {
        return states.stream().map(state -> state.strip().toLowerCase(Locale.ROOT)).toList();
    }

    /** True if only some links are wanted. */
    public boolean isOfLinks() {
        return !links.isEmpty()
                || states().stream().anyMatch(state -> !NODE_STATES.contains(state));
    }

    /**
     * Checks that every node and link that was named is there.
     *
     * @param all all nodes of the cluster that have run here.
     * @throws UsageException naming one that is not.
     */
    public void check(final List<NodeSample> all) {
        checkNodes(all);
        checkLinks(all);
    }

    /** What is wanted of a node: the node with its wanted links; empty if nothing is. */
    public Optional<NodeSample> of(final NodeSample node) {
        final List<LinkSample> own = node.links().stream().filter(this::isWanted).toList();
        return isNamed(node) && isInState(node) && (!isOfLinks() || !own.isEmpty())
                ? Optional.of(isOfLinks() ? node.withLinks(own) : node)
                : Optional.empty();
    }

    private boolean isWanted(final LinkSample link) {
        final List<String> conditions =
                states().stream().filter(state -> !NODE_STATES.contains(state)).toList();
        return NameFilter.of(links).matches(link.label())
                && (conditions.isEmpty() || conditions.contains(link.condition().word()));
    }

    private boolean isNamed(final NodeSample node) {
        return nodes.isEmpty() || nodes.stream().anyMatch(text -> names(text, node));
    }

    private static boolean names(final String text, final NodeSample node) {
        final boolean isId = text.matches("\\d+") && node.coordinates().contains(",");
        return isId
                ? node.node() == Integer.parseInt(text)
                : NameFilter.of(List.of(text)).matches(node.coordinates());
    }

    private boolean isInState(final NodeSample node) {
        final List<String> wanted = states().stream().filter(NODE_STATES::contains).toList();
        return wanted.isEmpty() || wanted.contains(node.stateWord());
    }

    private void checkNodes(final List<NodeSample> all) {
        for (final String text : nodes) {
            if (all.stream().noneMatch(node -> names(text, node))) {
                throw new UsageException(
                        "--node "
                                + text
                                + ": no such node has run here; there are "
                                + String.join(
                                        " ",
                                        all.stream()
                                                .map(node -> "(" + node.coordinates() + ")")
                                                .limit(MAX_NAMED)
                                                .toList())
                                + (all.size() > MAX_NAMED ? " and others" : ""));
            }
        }
    }

    private void checkLinks(final List<NodeSample> all) {
        final Set<String> known = new LinkedHashSet<>();
        all.forEach(node -> node.links().forEach(link -> known.add(link.label())));
        for (final String text : links) {
            if (known.stream().noneMatch(NameFilter.of(List.of(text))::matches)) {
                throw new UsageException(
                        "--link " + text + ": no such link; there are " + String.join(" ", known));
            }
        }
    }
}
