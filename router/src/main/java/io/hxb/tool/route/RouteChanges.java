package io.hxb.tool.route;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.Operation;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Changes of paths by one command, on one or several managers: all managers are told first, then
 * all let them hold, so that both ends of a pair change within a moment. Owned by the command's
 * thread.
 */
final class RouteChanges {
    private final List<ManagerLink> begun = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final boolean isLasting;

    /** A host whose path to a peer is set, or reset where the VID is 0. */
    private record Change(ManagerLink link, ManagerLink.Host peer) {}

    /**
     * No change yet.
     *
     * @param isLasting whether changes outlive the command.
     */
    RouteChanges(final boolean isLasting) {
        this.isLasting = isLasting;
    }

    /**
     * Notes a change of a pair on the managers of its ends.
     *
     * @param vid 0 to reset it.
     */
    void addPair(final ManagerLinks links, final String text, final int vid) throws IOException {
        final String[] ends = RouteText.pair(text);
        if (ends.length == 1) {
            if (links.size() > 1) {
                throw new UsageException(
                        "with several managers name both hosts of the pair, such as h0,h8");
            }
            final ManagerLink.Host peer = links.first().peer(text);
            add(links.first(), peer, vid);
            return;
        }
        final ManagerLink.Host a = links.first().peer(ends[0]);
        final ManagerLink.Host b = links.first().peer(ends[1]);
        if (a.number() == b.number()) {
            throw new UsageException("'" + text + "' is one host twice");
        }
        for (final ManagerLink link : links) {
            if (link.self().number() == a.number()) {
                add(link, b, vid);
            } else if (link.self().number() == b.number()) {
                add(link, a, vid);
            }
        }
        if (changes.isEmpty()) {
            throw new ToolException(
                    "none of the managers is that of " + a.name() + " or " + b.name());
        }
    }

    /** Notes a change of a path; {@code vid} 0 to reset it. */
    void add(final ManagerLink link, final ManagerLink.Host peer, final int vid)
            throws IOException {
        if (!begun.contains(link)) {
            link.request(Operation.BEGIN);
            link.exchange(link.self().name());
            begun.add(link);
        }
        final ManagerMessage request =
                link.request(vid == 0 ? Operation.RESET : Operation.SET)
                        .peerHost(peer.number())
                        .vid(vid);
        if (isLasting) {
            request.flags(ManagerMessage.FLAG_PERMANENT);
        }
        link.exchange(peer.name() + (vid == 0 ? "" : " in VID " + vid));
        changes.add(new Change(link, peer));
    }

    /** All of it holds from now on. */
    void end() throws IOException {
        for (final ManagerLink link : begun) {
            link.request(Operation.END);
            try {
                link.exchange(link.self().name());
            } catch (final IOException | ToolException e) {
                throw new ToolException(
                        "the change holds at the managers before "
                                + link.place()
                                + " only: "
                                + e.getMessage(),
                        e);
            }
        }
    }

    /** Says what holds now, a line and an object a path. */
    void report(final Output output) throws IOException {
        for (final Change change : changes) {
            final ManagerLink.Route route = change.link.route(change.peer);
            output.text().println(RouteText.words(change.link, route));
            final Map<String, Object> report = RouteText.report(change.link);
            report.put("route", RouteText.json(route));
            output.report(report);
        }
        if (changes.size() == 1) {
            final Change only = changes.getFirst();
            output.text()
                    .printf(
                            "switches may flood what %s sends until %s does the same%n",
                            only.link.self().name(), only.peer.name());
        }
    }

    /** Keeps what holds now over restarts. */
    static void commit(final ManagerLinks links) throws IOException {
        for (final ManagerLink link : links) {
            link.request(Operation.COMMIT);
            link.exchange(link.self().name());
        }
    }
}
