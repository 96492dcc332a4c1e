package io.hxb.node;

import io.hxb.link.Link;
import io.hxb.node.loop.Loop;

import java.util.function.Consumer;

/**
 * Makes the links that one loop receives on follow their NICs, once per second and when the kernel
 * has reported a change. A link may exchange the ring that its loop receives from, so no other loop
 * can do this. Owned by that loop.
 */
final class LinkHousekeeping implements Housekeeping {
    private static final long REFRESH_INTERVAL_NS = 1_000_000_000L;

    private final Loop loop;
    private final Link[] links;
    private final LinkEventCounter board;
    private final Consumer<Link> relink;
    private int newsSeen;
    private boolean isDue = true;
    private boolean isChanged;
    private long refreshNs;

    /**
     * Makes the upkeep of a loop's links.
     *
     * @param links that the loop receives on.
     * @param board what the loops of the node report to each other.
     * @param relink called for links whose descriptors have changed.
     */
    LinkHousekeeping(
            final Loop loop,
            final Link[] links,
            final LinkEventCounter board,
            final Consumer<Link> relink) {
        this.loop = loop;
        this.links = links.clone();
        this.board = board;
        this.relink = relink;
    }

    @Override
    public void start() {
        board.addLoop(loop::wakeUp);
    }

    @Override
    public void doWork(final long nowNs) {
        final int news = board.news();
        if (isDue || news != newsSeen || nowNs - refreshNs >= 0) {
            isDue = false;
            newsSeen = news;
            refreshNs = nowNs + REFRESH_INTERVAL_NS;
            refresh();
        }
    }

    private void refresh() {
        isChanged = false;
        for (final Link link : links) {
            Housekeeping.alone(() -> refresh(link));
        }
        readKernelDrops();
        if (isChanged) {
            board.onChanged();
        }
    }

    private void refresh(final Link link) {
        if (link.refresh()) {
            isChanged = true;
            relink.accept(link);
        }
    }

    private void readKernelDrops() {
        for (final Link link : links) {
            Housekeeping.alone(() -> board.kernelDrops(link.index(), link.kernelDrops()));
        }
    }

    @Override
    public long nextDeadlineNs() {
        return links.length == 0 ? Long.MAX_VALUE : refreshNs;
    }

    @Override
    public boolean hasNews() {
        return board.news() != newsSeen;
    }

    @Override
    public void stop() {
        readKernelDrops();
        for (final Link link : links) {
            Housekeeping.alone(link::stop);
        }
    }
}
