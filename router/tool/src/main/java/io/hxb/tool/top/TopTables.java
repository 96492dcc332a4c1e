package io.hxb.tool.top;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import java.util.Comparator;
import java.util.List;

/** The tables of the screen. Stateless. */
final class TopTables {
    static final Table<TopModel.NodeRow> NODES =
            new Table<>(
                    List.of(
                            TopColumn.words("node", TopModel.NodeRow::name)
                                    .by(Comparator.comparingInt(row -> row.node().node())),
                            TopColumn.words(
                                    "state", row -> state(row.node()), row -> tone(row.node())),
                            new TopColumn<>(
                                    "links",
                                    false,
                                    row -> row.node().goodLinks() + "/" + row.node().links().size(),
                                    row -> linksTone(row.node()),
                                    Comparator.comparingLong(
                                            row ->
                                                    row.node().goodLinks()
                                                            - row.node().links().size())),
                            TopColumn.megabytes("in MB/s", row -> row.node().inMegabytes()),
                            TopColumn.megabytes("out MB/s", row -> row.node().outMegabytes()),
                            TopColumn.words("rate", TopModel.NodeRow::bars),
                            TopColumn.count("msg in/s", row -> row.node().messages().delivered()),
                            TopColumn.count("out/s", row -> row.node().messages().sent()),
                            TopColumn.count("relay/s", row -> row.node().frames().relayed()),
                            TopColumn.trouble("again/s", row -> row.node().frames().resent()),
                            TopColumn.trouble(
                                            "detour/s",
                                            (TopModel.NodeRow row) ->
                                                    row.node().frames().detoured())
                                    .where(TopTables::hasCounters),
                            TopColumn.trouble(
                                            "troubled",
                                            (TopModel.NodeRow row) ->
                                                    row.node().routes().troubled())
                                    .where(TopTables::hasCounters),
                            TopColumn.count("failures", row -> row.node().failures()),
                            TopColumn.count(
                                            "silent",
                                            (TopModel.NodeRow row) -> row.node().routes().silent())
                                    .where(TopTables::hasCounters),
                            TopColumn.count(
                                            "broken",
                                            (TopModel.NodeRow row) ->
                                                    row.node().routes().brokenHops())
                                    .where(TopTables::hasCounters),
                            TopColumn.words("cluster", row -> row.node().cluster())),
                    TopModel::key);

    static final Table<TopModel.NodeLink> LINKS =
            new Table<>(
                    List.of(
                            TopColumn.words(
                                            "link",
                                            (TopModel.NodeLink row) ->
                                                    TopModel.name(row.node())
                                                            + " "
                                                            + row.link().label())
                                    .by(
                                            Comparator.comparing(
                                                            (TopModel.NodeLink row) ->
                                                                    row.link().label())
                                                    .thenComparingInt(row -> row.node().node())),
                            new TopColumn<>(
                                    "state",
                                    true,
                                    row -> row.link().state(),
                                    row -> tone(row.link().condition()),
                                    Comparator.comparing(
                                                    (TopModel.NodeLink row) ->
                                                            row.link().condition())
                                            .reversed()),
                            TopColumn.words("to", TopModel.NodeLink::partner),
                            TopColumn.megabytes("in MB/s", row -> row.link().in().megabytes()),
                            TopColumn.megabytes("out MB/s", row -> row.link().out().megabytes()),
                            TopColumn.words("rate", TopModel.NodeLink::bars),
                            TopColumn.count("in f/s", row -> row.link().in().frames()),
                            TopColumn.count("out f/s", row -> row.link().out().frames()),
                            TopColumn.count("weight", row -> row.link().weightPercent()),
                            TopColumn.count("fails", row -> row.link().failures()),
                            TopColumn.count("heals", row -> row.link().recoveries()),
                            TopColumn.words("nic", row -> row.link().nic()),
                            TopColumn.words("last reason", row -> row.link().lastReason())),
                    TopModel::key);

    private TopTables() {}

    // What other machines do not tell is not known, rather than 0.
    private static boolean hasCounters(final TopModel.NodeRow row) {
        return row.node().source() == NodeSample.Source.COUNTERS;
    }

    private static String state(final NodeSample node) {
        return node.source() == NodeSample.Source.HEARD && node.state() != NodeState.RUNNING
                ? node.stateWord() + " " + node.silence()
                : node.stateWord();
    }

    private static TextStyle tone(final NodeSample node) {
        return switch (node.state()) {
            case RUNNING -> TextStyle.GOOD;
            case STOPPED -> TextStyle.WARNING;
            case DEAD ->
                    node.source() == NodeSample.Source.NOTHING ? TextStyle.WARNING : TextStyle.BAD;
        };
    }

    private static TextStyle linksTone(final NodeSample node) {
        if (node.links().stream().anyMatch(link -> tone(link.condition()) == TextStyle.BAD)) {
            return TextStyle.BAD;
        }
        return node.goodLinks() == node.links().size() ? TextStyle.GOOD : TextStyle.WARNING;
    }

    private static TextStyle tone(final LinkCondition condition) {
        return switch (condition) {
            case GOOD -> TextStyle.GOOD;
            case WEAK, ALONE, UNKNOWN -> TextStyle.WARNING;
            case FAILED, DOWN -> TextStyle.BAD;
        };
    }
}
