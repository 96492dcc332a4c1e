package io.hxb.tool.top;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;
import io.hxb.observe.live.Urgency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Something that needs attention, in words. Immutable.
 *
 * @param urgency how soon somebody should look.
 * @param kind how nodes for which it is alike are described together: {@code are unheard}.
 * @param node name of the node.
 * @param text without a full stop.
 */
record Attention(Urgency urgency, String kind, String node, String text) {
    /** More things than that are shown by their kinds, so that all fit on a screen. */
    private static final int MAX_LINES = 20;

    /** Things of one kind that are still shown one by one then. */
    private static final int MAX_ALIKE = 2;

    private static final int MAX_NAMED = 8;

    /** All there is in the samples, the most severe first. */
    static List<Attention> of(final TopModel model) {
        final List<Attention> all = new ArrayList<>();
        for (final NodeSample node : model.nodes()) {
            final String name = TopModel.name(node);
            if (node.state() == NodeState.RUNNING) {
                ofRunning(model, node, all);
            } else {
                all.add(
                        new Attention(
                                node.urgency(),
                                "are " + node.stateWord(),
                                name,
                                "node " + name + " is " + node.stateText()));
            }
        }
        all.sort(Comparator.comparing(Attention::urgency).reversed());
        return all;
    }

    private static void ofRunning(
            final TopModel model, final NodeSample node, final List<Attention> all) {
        final String name = TopModel.name(node);
        if (node.goodLinks() < node.links().size()) {
            for (final LinkCondition condition : LinkCondition.values()) {
                links(node, condition, all);
            }
        }
        if (node.routes().troubled() > 0) {
            all.add(
                    new Attention(
                            Urgency.LESS,
                            "have trouble on routes",
                            name,
                            name
                                    + " has trouble on routes to "
                                    + node.routes().troubled()
                                    + " nodes"));
        }
        model.detail(node)
                .findings()
                .forEach(
                        text ->
                                all.add(
                                        new Attention(
                                                Urgency.FINDING,
                                                "report something",
                                                name,
                                                name + " " + text)));
    }

    private static void links(
            final NodeSample node, final LinkCondition condition, final List<Attention> all) {
        final List<LinkSample> own =
                node.links().stream().filter(link -> link.condition() == condition).toList();
        if (condition == LinkCondition.GOOD || own.isEmpty()) {
            return;
        }
        final LinkSample first = own.getFirst();
        final String text =
                own.size() == 1
                        ? TopModel.name(node) + " " + first.label() + " " + first.state()
                        : TopModel.name(node)
                                + " "
                                + own.size()
                                + " links "
                                + condition.word()
                                + " ("
                                + first.label()
                                + " ...)";
        final boolean hasReason =
                condition == LinkCondition.FAILED && !first.lastReason().isEmpty();
        all.add(
                new Attention(
                        condition.urgency(),
                        "have links that are " + condition.word(),
                        TopModel.name(node),
                        hasReason ? text + ": " + first.lastReason() : text));
    }

    /**
     * All there is, in at most {@value #MAX_LINES} lines: where there is more, nodes for which it
     * is alike are named together.
     */
    static List<Attention> page(final TopModel model) {
        final List<Attention> all = of(model);
        if (all.size() <= MAX_LINES) {
            return all;
        }
        final Map<String, List<Attention>> kinds = new LinkedHashMap<>();
        all.forEach(each -> kinds.computeIfAbsent(each.kind, _ -> new ArrayList<>()).add(each));
        final List<Attention> page = new ArrayList<>();
        for (final List<Attention> alike : kinds.values()) {
            if (alike.size() <= MAX_ALIKE) {
                page.addAll(alike);
            } else {
                page.add(together(alike));
            }
        }
        return page;
    }

    private static Attention together(final List<Attention> alike) {
        final List<String> nodes = alike.stream().map(Attention::node).distinct().toList();
        final String names = String.join(" ", nodes.subList(0, Math.min(MAX_NAMED, nodes.size())));
        final Attention first = alike.getFirst();
        return new Attention(
                first.urgency,
                first.kind,
                first.node,
                nodes.size()
                        + " nodes "
                        + first.kind
                        + ": "
                        + names
                        + (nodes.size() > MAX_NAMED ? " ..." : ""));
    }

    TextStyle tone() {
        return urgency.compareTo(Urgency.NOT_WORKING) >= 0 ? TextStyle.BAD : TextStyle.WARNING;
    }

    /** The most severe of them on one line, with the number of the others. */
    static ScreenLine line(final List<Attention> all, final int width) {
        if (all.isEmpty()) {
            return ScreenLine.of("nothing needs attention", TextStyle.GOOD).cut(width);
        }
        final String more = all.size() == 1 ? "" : "  +" + (all.size() - 1) + " more: w";
        final int room = Math.max(0, width - more.length());
        final String first = all.getFirst().text();
        final String cut =
                first.length() <= room ? first : first.substring(0, Math.max(0, room - 3)) + "...";
        return ScreenLine.of(cut + more, all.getFirst().tone()).cut(width);
    }
}
