package io.hxb.tool.route;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Changes of paths by one command, on one or several managers: all managers prepare first, then all
 * let them hold as changes of this session, and only when all have done so they are to outlive it.
 * Whatever fails before that, the end of the sessions undoes the rest. Owned by the command's
 * thread.
 */
final class RouteChanges {
    private final List<ManagerLink> begun = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final List<ManagerLink> kept = new ArrayList<>();
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
        begin(link);
        if (vid == 0) {
            final ManagerMessage request =
                    link.request(ManagerOperation.RESET).peerHost(peer.number());
            if (isLasting) {
                request.flags(ManagerMessage.FLAG_PERMANENT);
            }
            link.exchange(peer.name());
        } else {
            link.request(ManagerOperation.SET).peerHost(peer.number()).vid(vid);
            link.exchange(peer.name() + " in VID " + vid);
        }
        changes.add(new Change(link, peer));
    }

    /** Notes that a path follows the table, whatever was set before. */
    void addByTable(final ManagerLink link, final ManagerLink.Host peer) throws IOException {
        begin(link);
        link.request(ManagerOperation.SET).peerHost(peer.number());
        link.exchange(peer.name());
        changes.add(new Change(link, peer));
    }

    private void begin(final ManagerLink link) throws IOException {
        if (!begun.contains(link)) {
            link.request(ManagerOperation.BEGIN);
            link.exchange(link.self().name());
            begun.add(link);
        }
    }

    /** All of it holds from now on, at all managers or at none. */
    void end() throws IOException {
        for (final ManagerLink link : begun) {
            request(ManagerOperation.END, link);
        }
        if (isLasting) {
            keep(begun);
        }
    }

    private static void request(final ManagerOperation operation, final ManagerLink link)
            throws IOException {
        try {
            link.request(operation);
            link.exchange(link.self().name());
        } catch (final IOException | ToolException e) {
            throw new ToolException(
                    "nothing has changed, because the manager "
                            + link.place()
                            + " does not take part: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Lets what these sessions have set outlive them, at all managers or at none. */
    void keep(final List<ManagerLink> links) throws IOException {
        try {
            for (final ManagerLink link : links) {
                request(ManagerOperation.KEEP, link);
                kept.add(link);
            }
        } catch (final IOException | ToolException e) {
            undoKeep(e);
            throw e;
        }
    }

    private void undoKeep(final Exception cause) {
        for (final ManagerLink link : kept) {
            try {
                link.request(ManagerOperation.UNDO_KEEP);
                link.exchange(link.self().name());
            } catch (final IOException | ToolException e) {
                cause.addSuppressed(e);
                throw new ToolException(
                        "the change holds at the manager "
                                + link.place()
                                + ", but not at all others: "
                                + cause.getMessage(),
                        cause);
            }
        }
    }

    /** Prints the current state, a line and an object a path. */
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
            link.request(ManagerOperation.COMMIT);
            link.exchange(link.self().name());
        }
    }
}
