package io.hxb.context;

import io.hxb.config.Share;
import io.hxb.flow.CreditPool;
import io.hxb.flow.FlowRights;
import io.hxb.pm.PmException;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * What one user has of a node with all of its processes together, against what he may have. Any
 * thread; {@link UserShares} makes one for each user.
 */
final class UserAccount implements FlowRights {
    private final int uid;
    private final String who;
    private final Map<Share, ShareBook> books = new EnumMap<>(Share.class);
    private final ShareBook flows;
    private final AtomicLong returningBytes = new AtomicLong();
    private final CreditPool receiveCredit;

    UserAccount(final int uid, final String who, final Function<Share, ShareBook> books) {
        this.uid = uid;
        this.who = who;
        for (final Share share : Share.values()) {
            this.books.put(share, books.apply(share));
        }
        flows = book(Share.FLOWS);
        final long buffers = book(Share.HELD_BUFFERS).limit();
        receiveCredit = new CreditPool((int) Math.min(buffers, CreditPool.MAX_FRAMES));
    }

    /** The user; -1 for the node itself. */
    int uid() {
        return uid;
    }

    /** Who it is, for messages: such as {@code user 1000}. */
    String who() {
        return who;
    }

    /** The book of one share; the same one as long as the account lives. */
    ShareBook book(final Share share) {
        return books.get(share);
    }

    /**
     * Takes so much of a share; {@link ShareBook#giveBack} gives it back.
     *
     * @throws PmException which names the limit and its key, if that is more than is left.
     */
    void charge(final Share share, final long amount) throws PmException {
        final ShareBook book = book(share);
        if (!book.take(amount)) {
            throw new PmException(book.refusal(amount));
        }
    }

    /** Gives back what was charged. */
    void giveBack(final Share share, final long amount) {
        book(share).giveBack(amount);
    }

    /** Some memory begins to be given back, which takes a while; with a minus it has been. */
    void onReturning(final long bytes) {
        returningBytes.addAndGet(bytes);
    }

    /** True while memory is being given back: what is refused now may be granted soon. */
    boolean isReturning() {
        return returningBytes.get() > 0;
    }

    @Override
    public boolean takeFlow() {
        return flows.take(1);
    }

    @Override
    public void giveBackFlow() {
        flows.giveBack(1);
    }

    @Override
    public CreditPool receiveCredit() {
        return receiveCredit;
    }

    @Override
    public int tenant() {
        return 0;
    }

    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        return true;
    }

    @Override
    public boolean maySendTo(final int peerTenant, final int peerNode, final int peerContext) {
        return true;
    }
}
