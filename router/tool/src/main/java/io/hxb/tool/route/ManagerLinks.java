package io.hxb.tool.route;

import io.hxb.session.ClusterKey;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Sessions with several managers of one network. Owned by the command's thread. */
final class ManagerLinks implements AutoCloseable, Iterable<ManagerLink> {
    private final List<ManagerLink> links = new ArrayList<>();

    private ManagerLinks() {}

    /**
     * Connects to all of them.
     *
     * @throws ToolException if two of them have different plans, or one host has two.
     */
    static ManagerLinks open(final List<String> places, final ClusterKey key) throws IOException {
        final ManagerLinks links = new ManagerLinks();
        try {
            for (final String place : places) {
                links.add(ManagerLink.open(place, key));
            }
            return links;
        } catch (final IOException | RuntimeException e) {
            links.close();
            throw e;
        }
    }

    private void add(final ManagerLink link) {
        links.add(link);
        final ManagerLink first = links.getFirst();
        if (link.plan() != first.plan()) {
            throw new ToolException(
                    String.format(
                            "%s and %s have different plans (%016x, %016x): managers of two"
                                    + " networks, or one of them has an old plan",
                            first.place(), link.place(), first.plan(), link.plan()));
        }
        for (final ManagerLink other : links.subList(0, links.size() - 1)) {
            if (other.self().number() == link.self().number()) {
                throw new ToolException(
                        other.place()
                                + " and "
                                + link.place()
                                + " are both the manager of "
                                + link.self().name());
            }
        }
    }

    ManagerLink first() {
        return links.getFirst();
    }

    int size() {
        return links.size();
    }

    @Override
    public Iterator<ManagerLink> iterator() {
        return links.iterator();
    }

    @Override
    public void close() throws IOException {
        for (final ManagerLink link : links) {
            link.close();
        }
    }
}
