package io.hxb.node;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the loops of a node report to each other about its links: the first loop reports that a NIC
 * may have changed, and each loop what it found on its own links, which no other loop may refresh.
 * Any loop may call it.
 */
final class LinkEventCounter {
    private final List<Runnable> wakeUps = new CopyOnWriteArrayList<>();
    private final AtomicInteger news = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicLongArray kernelDrops;

    /** A board for a node with {@code links} links. */
    LinkEventCounter(final int links) {
        kernelDrops = new AtomicLongArray(links);
    }

    /** A loop has started; {@code wakeUp} ends its sleep. */
    void addLoop(final Runnable wakeUp) {
        wakeUps.add(wakeUp);
    }

    /** The kernel has reported a NIC: every loop has to refresh its links. */
    void onNews() {
        news.incrementAndGet();
        wakeUps.forEach(Runnable::run);
    }

    /** Number of calls of {@link #onNews}. */
    int news() {
        return news.get();
    }

    /** A loop has refreshed its links, and some have changed. */
    void onChanged() {
        changes.incrementAndGet();
        wakeUps.forEach(Runnable::run);
    }

    /** Number of calls of {@link #onChanged}. */
    int changes() {
        return changes.get();
    }

    /** The kernel has dropped {@code frames} on a link since start; by the loop of the link. */
    void kernelDrops(final int link, final long frames) {
        kernelDrops.set(link, frames);
    }

    /** Frames that the kernel has dropped on a link since start, when its loop last looked. */
    long kernelDrops(final int link) {
        return kernelDrops.get(link);
    }
}
