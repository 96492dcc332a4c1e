package io.hxb.node;

import io.hxb.link.LinkSender;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.Registration;
import io.hxb.trunk.Port;

import java.util.Arrays;
import java.util.List;

/**
 * One loop's senders of all links of the node: flushes them together, and makes the loop wait for
 * those that are blocked. Owned by that loop.
 */
final class LoopSenders {
    private final Loop loop;
    private final LinkSender[] senders;
    private final Registration[] registrations;
    private final boolean[] isWaiting;
    private final long[] blocked;
    private boolean isUnblocked;

    /**
     * Opens the senders.
     *
     * @param ports of the node, by link index.
     * @param queueFrames frames that each can hold back, a power of two.
     */
    LoopSenders(final List<Port> ports, final int queueFrames, final Loop loop) {
        this.loop = loop;
        senders = new LinkSender[ports.size()];
        try {
            Arrays.setAll(senders, i -> ports.get(i).link().newSender(queueFrames));
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
        registrations = new Registration[senders.length];
        Arrays.fill(registrations, Registration.NONE);
        isWaiting = new boolean[senders.length];
        blocked = new long[senders.length];
    }

    /** The senders by link index, {@code [links]}; it must not be changed. */
    LinkSender[] all() {
        return senders;
    }

    /** How often a link has blocked; any thread may read a slightly old value. */
    long blockedEvents(final int link) {
        return blocked[link];
    }

    void start() {
        for (int link = 0; link < senders.length; link++) {
            register(link);
        }
    }

    private void register(final int link) {
        final int descriptor = senders[link].descriptor();
        if (descriptor >= 0) {
            registrations[link] =
                    loop.register(
                            descriptor,
                            Interest.READABLE,
                            (isReadable, isWritable) -> {
                                if (isWritable) {
                                    onWritable(link);
                                }
                            });
        }
        isWaiting[link] = false;
    }

    /** The descriptors of a link have changed: forgets the old one and waits for the new. */
    void relink(final int link) {
        registrations[link].cancel();
        register(link);
    }

    /**
     * Hands everything queued to the kernel, except for links that are known to be blocked.
     *
     * @return frames taken by the kernel.
     */
    int flush() {
        int frames = 0;
        for (int i = 0; i < senders.length; i++) {
            final LinkSender sender = senders[i];
            if (sender.queuedFrames() > 0 && !isWaiting[i]) {
                frames += sender.flush();
                if (sender.isBlocked()) {
                    waitForRoom(i, true);
                }
            }
        }
        return frames;
    }

    /** Frames that the kernel has taken, on all links. */
    long sentFrames() {
        long frames = 0;
        for (final LinkSender sender : senders) {
            frames += sender.sentFrames();
        }
        return frames;
    }

    /** Bytes of these. */
    long sentBytes() {
        long bytes = 0;
        for (final LinkSender sender : senders) {
            bytes += sender.sentBytes();
        }
        return bytes;
    }

    private void waitForRoom(final int link, final boolean isBlocked) {
        // A link without a descriptor is tried again by every flush.
        if (registrations[link].hasDescriptor() && isWaiting[link] != isBlocked) {
            isWaiting[link] = isBlocked;
            blocked[link] += isBlocked ? 1 : 0;
            registrations[link].waitFor(isBlocked ? Interest.WRITABLE : Interest.READABLE);
        }
    }

    private void onWritable(final int link) {
        senders[link].flush();
        waitForRoom(link, senders[link].isBlocked());
        isUnblocked = true;
    }

    /** True once after a link that was blocked took frames again. */
    boolean takeUnblocked() {
        final boolean isNews = isUnblocked;
        isUnblocked = false;
        return isNews;
    }

    /** Gives back what is stuck in the queue of a link that must not be used any more. */
    void discard(final int link) {
        if (senders[link].isBlocked()) {
            senders[link].discard();
            waitForRoom(link, false);
        }
    }

    /** Stops waiting for links: the numbers of closed descriptors will be reused. */
    void forgetDescriptors() {
        for (final Registration registration : registrations) {
            registration.cancel();
        }
    }

    /** Gives every queued frame back to its owner. */
    void close() {
        for (final LinkSender sender : senders) {
            // Null if opening has failed.
            if (sender != null) {
                sender.close();
            }
        }
    }
}
