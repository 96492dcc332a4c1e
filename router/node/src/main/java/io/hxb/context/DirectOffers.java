package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.MemoryFile;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Introduces contexts of this node to each other, so that they send without it: passes the memory
 * of a ring from its sender to its receiver, and notifies either when the other is closed. What is
 * in the memory is theirs; the node does not map it. Any thread.
 *
 * <p>Two contexts may have a ring if one user has both, who may read the memory of his processes
 * anyway, may talk with himself by the rights of his tenant, and may send as many messages as he
 * likes, since the node does not see them.
 */
final class DirectOffers {
    /** Rings of a context as sender, and as receiver. */
    static final int MAX_RINGS = 64;

    /** Offers at the node that were not taken yet, each with two descriptors. */
    private static final int MAX_WAITING = 64;

    /** Of those, offers of one user. */
    private static final int MAX_WAITING_OF_USER = 16;

    private static final int MIN_BYTES = 1 << 20;
    private static final int MESSAGES = 8;

    private final ContextTable table;
    private final Listener listener;
    private final int ringBytes;
    private final List<Ring> rings = new ArrayList<>();
    private final Map<ContextEndpoint, Queue<News>> news = new HashMap<>();
    private final Map<UserAccount, Integer> waiting = new HashMap<>();
    private int waitingOfAll;
    private long offered;

    /**
     * Rings for a node, none yet.
     *
     * @param listener lets contexts learn of changes.
     * @param mtuBytes longest message.
     */
    DirectOffers(final ContextTable table, final Listener listener, final int mtuBytes) {
        this.table = table;
        this.listener = listener;
        final int wanted = MESSAGES * DirectRing.recordBytes(mtuBytes);
        ringBytes = Math.max(MIN_BYTES, Integer.highestOneBit(wanted - 1) << 1);
    }

    /** Bytes of records of a ring. */
    int ringBytes() {
        return ringBytes;
    }

    /** Rings that contexts have, offered or in use. */
    synchronized int count() {
        return rings.size();
    }

    /** The rings that contexts have, now. */
    synchronized List<Ring> rings() {
        return List.copyOf(rings);
    }

    /**
     * Offers a ring.
     *
     * @param records descriptor of the records, which the caller closes.
     * @param page descriptor of the page, likewise.
     * @return the ring.
     * @throws PmException if there is to be no ring; the message gives the reason.
     */
    Ring offer(
            final ContextEndpoint sender, final int peerContext, final int records, final int page)
            throws PmException {
        final ContextEndpoint receiver = table.endpoint(peerContext);
        checkEnds(sender, receiver, peerContext);
        checkMemory(records, page);
        synchronized (this) {
            // A context that is still registered now is reported when it closes.
            if (!table.isRegistered(sender) || !table.isRegistered(receiver)) {
                throw new PmException("one of the two contexts is closed");
            }
            withdraw(sender, receiver);
            checkCounts(sender, receiver);
            final UserAccount account = sender.application().account();
            final long bytes = (long) ringBytes + DirectPage.LENGTH_BYTES;
            account.charge(ResourceShare.MEMORY_BYTES, bytes);
            try {
                final Ring ring =
                        new Ring(offered + 1, sender, receiver, account, bytes, records, page);
                offered++;
                rings.add(ring);
                addWaiting(account, 1);
                notifyEndpoint(receiver, new News(DirectChange.OFFERED, ring));
                return ring;
            } catch (final LinuxException e) {
                account.giveBack(ResourceShare.MEMORY_BYTES, bytes);
                throw new PmException("the node cannot pass a ring on: " + e.getMessage(), e);
            }
        }
    }

    private static void checkEnds(
            final ContextEndpoint sender, final ContextEndpoint receiver, final int peerContext)
            throws PmException {
        if (sender == null || receiver == null || sender == receiver) {
            throw new PmException("there is no other context " + peerContext + " on this node");
        }
        final UserAccount account = sender.application().account();
        if (account != receiver.application().account()
                || !receiver.application().hasDirectRings()
                || account.messageRate() != null
                || !account.mayTalkWithItself()) {
            throw new PmException("messages to context " + peerContext + " go through the node");
        }
    }

    private void checkMemory(final int records, final int page) throws PmException {
        String problem = MemoryFile.problem(records, ringBytes);
        if (problem.isEmpty()) {
            problem = MemoryFile.sealPages(records, ringBytes);
        }
        if (problem.isEmpty()) {
            problem = MemoryFile.problem(page, DirectPage.LENGTH_BYTES);
        }
        if (!problem.isEmpty()) {
            throw new PmException("the node does not accept this ring: " + problem);
        }
    }

    // A sender offers another ring when it has no use for the one before, such as after its
    // receiver has given it up.
    private void withdraw(final ContextEndpoint sender, final ContextEndpoint receiver) {
        for (final Iterator<Ring> i = rings.iterator(); i.hasNext(); ) {
            final Ring ring = i.next();
            if (ring.sender == sender && ring.receiver == receiver) {
                i.remove();
                ring.account.giveBack(ResourceShare.MEMORY_BYTES, ring.bytes);
                if (!forgetOffer(receiver, ring)) {
                    notifyEndpoint(receiver, new News(DirectChange.SENDER_GONE, ring));
                }
            }
        }
    }

    /** Forgets the offer of a ring; false if the receiver has it already. */
    private boolean forgetOffer(final ContextEndpoint receiver, final Ring ring) {
        final Queue<News> untold = news.get(receiver);
        final News offer = new News(DirectChange.OFFERED, ring);
        final boolean isUntold = untold != null && untold.remove(offer);
        if (isUntold) {
            forget(offer);
        }
        return isUntold;
    }

    private void checkCounts(final ContextEndpoint sender, final ContextEndpoint receiver)
            throws PmException {
        int sent = 0;
        int received = 0;
        for (final Ring ring : rings) {
            sent += ring.sender == sender ? 1 : 0;
            received += ring.receiver == receiver ? 1 : 0;
        }
        final int ofUser = waiting.getOrDefault(sender.application().account(), 0);
        if (sent >= MAX_RINGS
                || received >= MAX_RINGS
                || waitingOfAll >= MAX_WAITING
                || ofUser >= MAX_WAITING_OF_USER) {
            throw new PmException("there are too many rings: messages go through the node");
        }
    }

    private void addWaiting(final UserAccount account, final int count) {
        waitingOfAll += count;
        waiting.merge(account, count, Integer::sum);
        waiting.remove(account, 0);
    }

    // Notifies while the lock is held, so that a context is notified in the order in which it asks.
    private void notifyEndpoint(final ContextEndpoint endpoint, final News what) {
        news.computeIfAbsent(endpoint, _ -> new ArrayDeque<>()).add(what);
        listener.onDirectChange(endpoint, what.kind == DirectChange.RECEIVER_GONE);
    }

    /**
     * The next change for a context.
     *
     * @return null if there is none; the caller closes its descriptors.
     */
    synchronized News next(final ContextEndpoint endpoint) {
        final Queue<News> waitingNews = news.get(endpoint);
        final News next = waitingNews == null ? null : waitingNews.poll();
        if (waitingNews != null && waitingNews.isEmpty()) {
            news.remove(endpoint);
        }
        if (next != null && next.kind == DirectChange.OFFERED) {
            addWaiting(next.ring.account, -1);
        }
        return next;
    }

    /** A context is closed: its peers are notified. */
    synchronized void onClosed(final ContextEndpoint endpoint) {
        final Queue<News> untold = news.remove(endpoint);
        if (untold != null) {
            untold.forEach(this::forget);
        }
        for (final Iterator<Ring> i = rings.iterator(); i.hasNext(); ) {
            final Ring ring = i.next();
            if (ring.sender == endpoint) {
                i.remove();
                ring.account.giveBack(ResourceShare.MEMORY_BYTES, ring.bytes);
                notifyEndpoint(ring.receiver, new News(DirectChange.SENDER_GONE, ring));
            } else if (ring.receiver == endpoint) {
                i.remove();
                ring.account.giveBack(ResourceShare.MEMORY_BYTES, ring.bytes);
                notifyEndpoint(ring.sender, new News(DirectChange.RECEIVER_GONE, ring));
            }
        }
    }

    private void forget(final News untold) {
        if (untold.kind == DirectChange.OFFERED) {
            addWaiting(untold.ring.account, -1);
            untold.ring.closeDescriptors();
        }
    }

    /** Notified of changes that a context should ask for. */
    interface Listener {
        /** There is a change of the direct rings of a context; any thread. */
        void onDirectChange(ContextEndpoint endpoint, boolean isReceiverGone);
    }

    /** A change of which a context is to be notified. */
    record News(int kind, Ring ring) {}

    /** A ring between two contexts, and its memory until the receiver has it. */
    static final class Ring {
        private final long number;
        private final ContextEndpoint sender;
        private final ContextEndpoint receiver;
        private final UserAccount account;
        private final long bytes;
        private final int records;
        private final int page;

        private Ring(
                final long number,
                final ContextEndpoint sender,
                final ContextEndpoint receiver,
                final UserAccount account,
                final long bytes,
                final int records,
                final int page)
                throws LinuxException {
            this.number = number;
            this.sender = sender;
            this.receiver = receiver;
            this.account = account;
            this.bytes = bytes;
            this.records = Descriptors.duplicate(records);
            try {
                this.page = Descriptors.duplicate(page);
            } catch (final LinuxException e) {
                Descriptors.close(this.records);
                throw e;
            }
        }

        /** Distinguishes it from all others of the node. */
        long number() {
            return number;
        }

        ContextEndpoint sender() {
            return sender;
        }

        ContextEndpoint receiver() {
            return receiver;
        }

        int records() {
            return records;
        }

        int page() {
            return page;
        }

        void closeDescriptors() {
            Descriptors.close(records);
            Descriptors.close(page);
        }
    }
}
