package io.hxb.observe.live;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One node at one moment; rates are means since the sample before. Immutable.
 *
 * @param cluster name of its cluster.
 * @param node its id.
 * @param coordinates its coordinates: {@code 1,0,2}.
 * @param state whether it runs.
 * @param silentMs how long ago it gave its last sign of life, ms; 0 while it runs.
 * @param messages messages a second of its applications.
 * @param frames frames a second that need explaining.
 * @param routes trouble on routes.
 * @param links its links, in the order of their index.
 * @param ip its virtual NIC; empty if there is none, or nothing has passed by it.
 * @param source where all of it comes from.
 */
public record NodeSample(
        String cluster,
        int node,
        String coordinates,
        NodeState state,
        long silentMs,
        Messages messages,
        Frames frames,
        Routes routes,
        List<LinkSample> links,
        Optional<IpSample> ip,
        Source source) {
    /** Word for a node of another machine of which nobody has heard for a while. */
    public static final String UNHEARD = "unheard";

    /** Word for a node of another machine of which nobody has ever heard. */
    public static final String UNKNOWN = "unknown";

    private static final long MS_PER_S = 1000;
    private static final long S_PER_MINUTE = 60;
    private static final long MINUTES_PER_HOUR = 60;
    private static final long HOURS_PER_DAY = 24;

    /** Where a sample comes from. */
    public enum Source {
        /** From the counters of the node. */
        COUNTERS,
        /** From what other nodes have heard of it. */
        HEARD,
        /** From the cluster file alone: nobody has heard of it. */
        NOTHING
    }

    /** Copies the list. */
    public NodeSample {
        links = List.copyOf(links);
    }

    /** From the counters of the node. */
    public NodeSample(
            final String cluster,
            final int node,
            final String coordinates,
            final NodeState state,
            final long silentMs,
            final Messages messages,
            final Frames frames,
            final Routes routes,
            final List<LinkSample> links,
            final Optional<IpSample> ip) {
        this(
                cluster,
                node,
                coordinates,
                state,
                silentMs,
                messages,
                frames,
                routes,
                links,
                ip,
                Source.COUNTERS);
    }

    /**
     * Messages of applications. Immutable.
     *
     * @param sent sent, a second.
     * @param delivered delivered, a second.
     */
    public record Messages(long sent, long delivered) {}

    /**
     * Frames of other kinds than new ones. Immutable.
     *
     * @param relayed sent on for others, a second.
     * @param resent sent again, a second.
     * @param detoured sent by other routes than the configured ones, a second.
     */
    public record Frames(long relayed, long resent, long detoured) {}

    /**
     * Trouble on routes since the node's start. Immutable.
     *
     * @param silent times nothing seemed to arrive by a route.
     * @param brokenHops times a relay had no link to the next node.
     * @param troubled destinations with trouble on some route now.
     */
    public record Routes(long silent, long brokenHops, long troubled) {}

    /** The same with some of its links alone. */
    public NodeSample withLinks(final List<LinkSample> others) {
        return new NodeSample(
                cluster,
                node,
                coordinates,
                state,
                silentMs,
                messages,
                frames,
                routes,
                others,
                Optional.empty(),
                source);
    }

    /** MB a second that arrive on all its links together. */
    public double inMegabytes() {
        return links.stream().mapToDouble(link -> link.in().megabytes()).sum();
    }

    /** MB a second that are sent on all its links together. */
    public double outMegabytes() {
        return links.stream().mapToDouble(link -> link.out().megabytes()).sum();
    }

    /** How many of its links are in full use. */
    public long goodLinks() {
        return links.stream().filter(link -> link.condition() == LinkCondition.GOOD).count();
    }

    /** Of how many of its links nobody knows anything now. */
    public long unknownLinks() {
        return links.stream().filter(link -> link.condition() == LinkCondition.UNKNOWN).count();
    }

    /** Word for its state: a node of another machine is never dead, but unheard or unknown. */
    public String stateWord() {
        return switch (source) {
            case COUNTERS -> state.toString();
            case HEARD -> state == NodeState.DEAD ? UNHEARD : state.toString();
            case NOTHING -> UNKNOWN;
        };
    }

    /** Its state with its age: {@code dead, last seen 12 s ago}. */
    public String stateText() {
        if (source == Source.NOTHING) {
            return UNKNOWN + ", nothing was heard of it";
        }
        final String last = source == Source.HEARD ? ", last heard " : ", last seen ";
        return state == NodeState.RUNNING ? stateWord() : stateWord() + last + silence() + " ago";
    }

    /** How long ago it gave its last sign of life: {@code 12 s}. */
    public String silence() {
        return age(silentMs);
    }

    /** How soon somebody should look at it, if it does not run. */
    public Urgency urgency() {
        if (source == Source.NOTHING) {
            return Urgency.LESS;
        }
        return state == NodeState.DEAD ? Urgency.DEAD : Urgency.STOPPED;
    }

    private static String age(final long ms) {
        final long seconds = ms / MS_PER_S;
        if (seconds < 2 * S_PER_MINUTE) {
            return seconds + " s";
        }
        final long minutes = seconds / S_PER_MINUTE;
        if (minutes < 2 * MINUTES_PER_HOUR) {
            return minutes + " min";
        }
        final long hours = minutes / MINUTES_PER_HOUR;
        return hours < 2 * HOURS_PER_DAY ? hours + " h" : hours / HOURS_PER_DAY + " days";
    }

    /** How often its links failed since its start. */
    public long failures() {
        return links.stream().mapToLong(LinkSample::failures).sum();
    }

    /** The node as JSON shows it. */
    public Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("cluster", cluster);
        report.put("node", node);
        report.put("coordinates", coordinates);
        report.put("state", stateWord());
        report.put("local", source == Source.COUNTERS);
        if (state != NodeState.RUNNING && source != Source.NOTHING) {
            report.put("silent_s", silentMs / MS_PER_S);
        }
        report.put("sent_messages_per_s", messages.sent());
        report.put("delivered_messages_per_s", messages.delivered());
        report.put("relayed_frames_per_s", frames.relayed());
        report.put("resent_frames_per_s", frames.resent());
        if (source == Source.COUNTERS) {
            report.put("detoured_frames_per_s", frames.detoured());
            report.put("silent_routes", routes.silent());
            report.put("broken_hops", routes.brokenHops());
            report.put("troubled_destinations", routes.troubled());
        }
        report.put("links", links.stream().map(LinkSample::report).toList());
        ip.ifPresent(each -> report.put("ip", each.report()));
        return report;
    }
}
