package io.hxb.observe.view;

import io.hxb.config.Dimensions;
import io.hxb.counter.NodeFinding;
import io.hxb.gossip.HeardNode;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Writes the network and its changes as JSON: {@code docs/reference/json.md}. Stateless. */
final class NetworkJson {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final String[] LINK_RATES = {
        "in_bytes_per_s",
        "out_bytes_per_s",
        "in_frames_per_s",
        "out_frames_per_s",
        "dropped_frames_per_s"
    };
    private static final String[] NEIGHBOUR_RATES =
            Arrays.copyOf(LINK_RATES, Rates.NEIGHBOUR_COUNT);
    private static final String[] NODE_RATES = {
        "sent_messages_per_s",
        "delivered_messages_per_s",
        "relayed_frames_per_s",
        "resent_frames_per_s"
    };

    private NetworkJson() {}

    /** Everything, one object. */
    static byte[] network(
            final NetworkPlan plan,
            final NetworkState state,
            final Timeline timeline,
            final String id,
            final long nowMs) {
        return object(
                json -> {
                    json.writeBooleanProperty("ok", true);
                    json.writeStringProperty("id", id);
                    json.writeNumberProperty("time_ms", nowMs);
                    json.writeStringProperty("cluster", plan.cluster());
                    json.writeArrayPropertyStart("shape");
                    for (int i = 0; i < plan.shape().dimensions(); i++) {
                        json.writeNumber(plan.shape().extent(i));
                    }
                    json.writeEndArray();
                    json.writeArrayPropertyStart("dimensions");
                    for (int i = 0; i < plan.shape().dimensions(); i++) {
                        json.writeString(Dimensions.name(i));
                    }
                    json.writeEndArray();
                    json.writeArrayPropertyStart("nodes");
                    for (int i = 0; i < state.nodes().size(); i++) {
                        node(json, plan, state, i);
                    }
                    json.writeEndArray();
                    json.writeArrayPropertyStart("links");
                    for (int i = 0; i < state.nodes().size(); i++) {
                        links(json, state, i);
                    }
                    json.writeEndArray();
                    findings(json, state.nodes());
                    timeline(json, timeline.entries());
                });
    }

    /** What has changed but rates. */
    static byte[] states(
            final NetworkState state,
            final NetworkState.Changes changes,
            final List<Timeline.Entry> added,
            final long nowMs) {
        return object(
                json -> {
                    json.writeNumberProperty("time_ms", nowMs);
                    json.writeArrayPropertyStart("nodes");
                    for (final NetworkState.NodeChange change : changes.nodes()) {
                        final NodeReading node = state.nodes().get(change.index());
                        json.writeStartObject();
                        json.writeNumberProperty("node", node.node());
                        json.writeStringProperty("state", node.stateWord());
                        node.heard()
                                .ifPresent(
                                        heard ->
                                                json.writeNumberProperty(
                                                        "heard_ms", heard.heardMs()));
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                    json.writeArrayPropertyStart("links");
                    for (final NetworkState.LinkChange change : changes.links()) {
                        json.writeStartObject();
                        json.writeNumberProperty("index", change.link());
                        health(json, state.links().get(change.link()).health());
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                    if (changes.hasFindings()) {
                        findings(json, state.nodes());
                    }
                    timeline(json, added);
                });
    }

    /** Rates that have changed, as lists of numbers. */
    static byte[] rates(
            final NetworkState state, final NetworkState.RateChanges changes, final long nowMs) {
        return object(
                json -> {
                    json.writeNumberProperty("time_ms", nowMs);
                    json.writeArrayPropertyStart("nodes");
                    for (final int index : changes.nodes()) {
                        numbers(json, state.nodes().get(index).node(), state.nodeRates(index));
                    }
                    json.writeEndArray();
                    json.writeArrayPropertyStart("links");
                    for (final int link : changes.links()) {
                        numbers(json, link, state.linkRates(link));
                    }
                    json.writeEndArray();
                    json.writeArrayPropertyStart("neighbours");
                    for (final NetworkState.NeighbourOf each : changes.neighbours()) {
                        json.writeStartArray();
                        json.writeNumber(each.link());
                        json.writeNumber(each.node());
                        for (final long rate : state.neighbourRates(each.link()).get(each.node())) {
                            json.writeNumber(rate);
                        }
                        json.writeEndArray();
                    }
                    json.writeEndArray();
                });
    }

    /** The last ten minutes of a link or node, and its counters. */
    static byte[] history(
            final History history,
            final String name,
            final boolean isLink,
            final List<String> states,
            final Map<String, Long> counters,
            final long nowMs) {
        final String[] columns = isLink ? LINK_RATES : NODE_RATES;
        return object(
                json -> {
                    json.writeBooleanProperty("ok", true);
                    json.writeNumberProperty("time_ms", nowMs);
                    json.writeNumberProperty("interval_ms", LiveNetwork.RATE_INTERVAL_MS);
                    for (int i = 0; i < columns.length; i++) {
                        json.writeArrayPropertyStart(columns[i]);
                        history.values(name, i).forEach(json::writeNumber);
                        json.writeEndArray();
                    }
                    json.writeArrayPropertyStart("states");
                    for (final long code : history.values(name, History.COLUMNS - 1)) {
                        json.writeString(states.get((int) code));
                    }
                    json.writeEndArray();
                    json.writeObjectPropertyStart("counters");
                    counters.forEach(json::writeNumberProperty);
                    json.writeEndObject();
                });
    }

    /** Entries of the timeline alone. */
    static byte[] entries(final List<Timeline.Entry> entries) {
        return object(json -> timeline(json, entries));
    }

    /** An answer about something that is not there. */
    static byte[] error(final String text) {
        return object(
                json -> {
                    json.writeBooleanProperty("ok", false);
                    json.writeStringProperty("error", text);
                });
    }

    static byte[] object(final Consumer<JsonGenerator> content) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = MAPPER.createGenerator(bytes)) {
            json.writeStartObject();
            content.accept(json);
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    private static void node(
            final JsonGenerator json,
            final NetworkPlan plan,
            final NetworkState state,
            final int index) {
        final NodeReading node = state.nodes().get(index);
        json.writeStartObject();
        json.writeNumberProperty("node", node.node());
        json.writeStringProperty("name", name(plan, node));
        json.writeArrayPropertyStart("coordinates");
        final long coordinates = plan.shape().coordinates(node.node());
        for (int i = 0; i < plan.shape().dimensions(); i++) {
            json.writeNumber(Shape.coordinate(coordinates, i));
        }
        json.writeEndArray();
        json.writeStringProperty("state", node.stateWord());
        json.writeBooleanProperty("local", node.heard().isEmpty());
        node.heard().ifPresent(heard -> heard(json, plan, node, heard));
        for (int i = 0; i < NODE_RATES.length; i++) {
            json.writeNumberProperty(NODE_RATES[i], state.nodeRates(index)[i]);
        }
        json.writeEndObject();
    }

    private static String name(final NetworkPlan plan, final NodeReading node) {
        final String name = plan.names().get(node.node());
        return name.isEmpty() ? node.heard().map(HeardNode::hostName).orElse("") : name;
    }

    private static void heard(
            final JsonGenerator json,
            final NetworkPlan plan,
            final NodeReading node,
            final HeardNode heard) {
        json.writeNumberProperty("heard_ms", heard.heardMs());
        json.writeNumberProperty("start_ms", heard.startS() * 1_000);
        json.writeArrayPropertyStart("excluded");
        final long here = plan.shape().coordinates(node.node());
        for (final HeardNode.Exclusion exclusion : heard.exclusions()) {
            final LinkReading.Place place = node.links().get(exclusion.link()).place();
            json.writeStartObject();
            json.writeStringProperty("link", place.label());
            json.writeNumberProperty(
                    "neighbour",
                    plan.shape()
                            .node(
                                    Shape.withCoordinate(
                                            here, place.dimension(), exclusion.coordinate())));
            json.writeStringProperty("reason", LinkReason.textOf(exclusion.reason()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void links(final JsonGenerator json, final NetworkState state, final int index) {
        final NodeReading node = state.nodes().get(index);
        for (int i = 0; i < node.links().size(); i++) {
            final int link = state.firstLink(index) + i;
            final LinkReading reading = node.links().get(i);
            json.writeStartObject();
            json.writeNumberProperty("index", link);
            json.writeNumberProperty("node", node.node());
            json.writeStringProperty("link", reading.place().label());
            json.writeNumberProperty("dimension", reading.place().dimension());
            json.writeNumberProperty("number", reading.place().number());
            json.writeStringProperty("nic", reading.place().nic());
            health(json, reading.health());
            for (int rate = 0; rate < LINK_RATES.length; rate++) {
                json.writeNumberProperty(LINK_RATES[rate], state.linkRates(link)[rate]);
            }
            neighbours(json, state.neighbourRates(link));
            json.writeEndObject();
        }
    }

    private static void neighbours(
            final JsonGenerator json, final Map<Integer, long[]> neighbours) {
        json.writeArrayPropertyStart("by_neighbour");
        neighbours.forEach(
                (node, rates) -> {
                    json.writeStartObject();
                    json.writeNumberProperty("node", node);
                    for (int rate = 0; rate < NEIGHBOUR_RATES.length; rate++) {
                        json.writeNumberProperty(NEIGHBOUR_RATES[rate], rates[rate]);
                    }
                    json.writeEndObject();
                });
        json.writeEndArray();
    }

    private static void health(final JsonGenerator json, final LinkReading.Health health) {
        json.writeStringProperty("state", health.condition().word());
        json.writeNumberProperty("mtu_bytes", health.mtuBytes());
        json.writeNumberProperty("neighbours", health.neighbours());
        json.writeNumberProperty("failed_neighbours", health.failedNeighbours());
        json.writeNumberProperty("weight_percent", health.weightPercent());
        json.writeNumberProperty("failures", health.failures());
        json.writeNumberProperty("recoveries", health.recoveries());
        json.writeStringProperty("last_reason", health.lastReason());
    }

    private static void findings(final JsonGenerator json, final List<NodeReading> nodes) {
        json.writeArrayPropertyStart("findings");
        for (final NodeReading node : nodes) {
            for (final NodeFinding finding : node.findings()) {
                json.writeStartObject();
                json.writeNumberProperty("node", node.node());
                json.writeStringProperty("kind", finding.kind().name().toLowerCase(Locale.ROOT));
                json.writeBooleanProperty("failure", finding.kind().isFailure());
                json.writeStringProperty("text", finding.text());
                json.writeStringProperty("fix", finding.fix());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private static void timeline(final JsonGenerator json, final List<Timeline.Entry> entries) {
        json.writeArrayPropertyStart("timeline");
        for (final Timeline.Entry entry : entries) {
            json.writeStartObject();
            json.writeNumberProperty("id", entry.id());
            json.writeNumberProperty("time_ms", entry.timeMs());
            json.writeNumberProperty("node", entry.node());
            json.writeStringProperty("link", entry.link());
            json.writeStringProperty("kind", entry.kind().name().toLowerCase(Locale.ROOT));
            json.writeStringProperty("from", entry.from());
            json.writeStringProperty("to", entry.to());
            json.writeStringProperty("reason", entry.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void numbers(final JsonGenerator json, final int first, final long[] rates) {
        json.writeStartArray();
        json.writeNumber(first);
        for (final long rate : rates) {
            json.writeNumber(rate);
        }
        json.writeEndArray();
    }
}
