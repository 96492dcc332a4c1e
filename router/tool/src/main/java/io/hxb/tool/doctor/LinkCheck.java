package io.hxb.tool.doctor;

import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.trunk.LinkReason;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Examines the links of a running node. Stateless. */
final class LinkCheck {
    /** A link that failed once or twice may have been unplugged on purpose. */
    private static final int MANY_FAILURES = 3;

    private static final int MANY_FRAMES = 1_000;
    private static final int MANY_PIECES = 10;

    /** A few may have been forged or damaged. */
    private static final int MANY_CUT = 10;

    private static final int USUAL_MTU_BYTES = 1500;

    private LinkCheck() {}

    /**
     * The links that are left out now, and those that fail repeatedly.
     *
     * @param reader the node's counters.
     */
    static List<Finding> run(final CounterReader reader) {
        final int mtuBytes = (int) reader.value(CounterType.LINK_MTU_BYTES, 0);
        final NodeSample node = new NodeSampler().sample(reader, 0);
        final List<Finding> findings = new ArrayList<>(routes(node.routes(), mtuBytes));
        for (int i = 0; i < node.links().size(); i++) {
            final LinkSample link = node.links().get(i);
            findings.addAll(of(link, mtuBytes));
            findings.addAll(
                    cut(
                            link,
                            reader.value(CounterType.LINK_CUT_FRAMES, i),
                            reader.value(CounterType.LINK_CUT_BYTES, i),
                            mtuBytes));
            findings.addAll(trains(link, reader.value(CounterType.LINK_REFUSED_TRAINS, i)));
            findings.addAll(
                    longFrames(
                            link,
                            reader.value(CounterType.LINK_LONG_FALLBACKS_EVENTS, i),
                            reader.value(CounterType.LINK_RECEIVED_LONG_FRAMES, i),
                            reader.value(CounterType.LINK_RECEIVED_LONG_PIECES, i)));
        }
        return findings;
    }

    /**
     * Findings about frames that pass the kernel in one piece.
     *
     * @param refusals loops that were refused that on the link.
     */
    static List<Finding> trains(final LinkSample link, final long refusals) {
        if (refusals == 0) {
            return List.of();
        }
        return List.of(
                Finding.warn(
                        "link " + link.label(),
                        "sends frame by frame, because the kernel refused several in one piece;"
                                + " that costs up to three times the CPU",
                        "set socket.mtu to the MTU of the path less 28 bytes at most, or let the"
                                + " NIC compute checksums (ethtool -K NIC tx on), and restart the"
                                + " node; socket.segmentation: off if it cannot"));
    }

    /**
     * Findings about frames longer than the MTU that travel as segments of TCP.
     *
     * @param fallbacks how often they did not arrive, so that the node cut them.
     * @param frames that have arrived so.
     * @param pieces in which they arrived.
     */
    static List<Finding> longFrames(
            final LinkSample link, final long fallbacks, final long frames, final long pieces) {
        final String subject = "link " + link.label();
        final List<Finding> findings = new ArrayList<>();
        if (fallbacks > 0) {
            findings.add(
                    Finding.warn(
                            subject,
                            "long frames did not arrive as segments of TCP, "
                                    + fallbacks
                                    + " times since the node was started, and were cut by the"
                                    + " node, which takes more CPU",
                            "look for a switch port or macvlan that drops unknown addresses, a"
                                    + " firewall that drops TCP, or let the kernel cut (ethtool -K "
                                    + link.nic()
                                    + " tso off), at either end"));
        }
        if (frames >= MANY_FRAMES && pieces > MANY_PIECES * frames) {
            findings.add(
                    Finding.warn(
                            subject,
                            "long frames arrive in "
                                    + pieces / frames
                                    + " pieces each, which takes more CPU",
                            "ethtool -K " + link.nic() + " gro on, or a larger MTU"));
        }
        return findings;
    }

    /**
     * Findings about frames of which only the beginning arrives.
     *
     * @param frames how many.
     * @param bytes what arrived of the last one.
     * @param mtuBytes what the link takes.
     */
    static List<Finding> cut(
            final LinkSample link, final long frames, final long bytes, final int mtuBytes) {
        final String subject = "link " + link.label();
        if (frames == 0) {
            return List.of();
        }
        final String text =
                frames
                        + " frames arrived cut, the last one to "
                        + bytes
                        + " bytes, with an MTU of "
                        + mtuBytes
                        + ": something between the NICs cuts what is longer";
        final String fix =
                "set socket.mtu to "
                        + bytes
                        + " or less on all nodes, or find what cuts (a TAP or user-space switch, a"
                        + " program that forwards frames) and raise its limit";
        return List.of(
                frames < MANY_CUT
                        ? Finding.warn(subject, text, fix)
                        : Finding.fail(subject, text, fix));
    }

    /** Findings about the routes to other nodes. */
    static List<Finding> routes(final NodeSample.Routes routes, final int mtuBytes) {
        if (routes.silent() < MANY_FAILURES) {
            return List.of();
        }
        return List.of(
                Finding.warn(
                        "routes",
                        "fell silent "
                                + routes.silent()
                                + " times since the node was started; frames then take other"
                                + " routes",
                        "find the link that loses frames (hxb stat --per-link --interval 1)"
                                + largeFrames(mtuBytes)));
    }

    /** Findings about one link. */
    static List<Finding> of(final LinkSample link, final int mtuBytes) {
        final List<Finding> findings = new ArrayList<>();
        final String subject = "link " + link.label();
        if (link.condition() == LinkCondition.FAILED && !isReported(link)) {
            findings.add(
                    Finding.fail(
                            subject,
                            "is left out towards "
                                    + link.failedNeighbours()
                                    + " of its neighbours: "
                                    + link.lastReason(),
                            fix(link, mtuBytes)));
        } else if (link.failures() >= MANY_FAILURES) {
            findings.add(
                    Finding.warn(
                            subject,
                            "failed "
                                    + link.failures()
                                    + " times and recovered "
                                    + link.recoveries()
                                    + " times since the node was started",
                            fix(link, mtuBytes)));
        }
        return findings;
    }

    /** True if the NIC or the node's own findings report the same. */
    private static boolean isReported(final LinkSample link) {
        return Stream.of(LinkReason.MISSED_HELLOS, LinkReason.UNANSWERED, LinkReason.NO_CARRIER)
                .anyMatch(reason -> reason.text().equals(link.lastReason()));
    }

    private static String fix(final LinkSample link, final int mtuBytes) {
        final boolean isLength = LinkReason.LONG_LOST.text().equals(link.lastReason());
        return (isLength
                        ? "give "
                                + link.nic()
                                + ", its port of the switch and the other ends one MTU"
                        : "check the cable of " + link.nic() + " and its port of the switch")
                + largeFrames(mtuBytes);
    }

    private static String largeFrames(final int mtuBytes) {
        return mtuBytes > USUAL_MTU_BYTES
                ? "; let the switches pass frames of "
                        + mtuBytes
                        + " bytes (jumbo frames), or set socket.mtu in the cluster file to what"
                        + " they pass"
                : "";
    }
}
