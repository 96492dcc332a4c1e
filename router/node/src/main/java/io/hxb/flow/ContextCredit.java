package io.hxb.flow;

/**
 * How many frames the sources of one context may send. Every frame that was announced to a source
 * and every frame that the application holds is committed; what is committed is covered by frames
 * that are guaranteed to the context ({@link GuaranteePool}) and frames that it borrows from the
 * pools of its node and its user, whose pool may be a part of the tenant's. Sources share evenly
 * what the context may have; those that get none wait in line. Owned by the loop that owns the
 * context.
 *
 * <p>Copies that a context takes need no cover: its quota is what it has room for.
 *
 * <p>An application earns credit by releasing frames: one that never does so holds little, however
 * much is free.
 */
final class ContextCredit {
    /**
     * Frames that may stay borrowed while unused, so that not every frame has to borrow and return.
     */
    private static final int IDLE_PART = 8;

    private static final int IDLE_FRAMES = 2;

    /** Frames that a source finds when it begins to send again, if there is credit for that. */
    private static final int KEPT_FRAMES = 8;

    /** Share that suffices for a source; where all can have it, none has more than its part. */
    private static final int AMPLE_FRAMES = 64;

    private static final long PROMISE_NS = 5_000_000;

    private final CreditRecallTimer recall;
    private final CreditPool node;
    private final CreditPool user;
    private final FlowRights rights;
    private final CreditSizes sizes;
    private final GuaranteePool guarantees;
    private final int quotaFrames;
    private final boolean isCopied;
    private final WaitQueue<ReceiveFlow> line = new WaitQueue<>();
    private int committedFrames;

    /** The floor, and what it has of the frames that are divided between open contexts. */
    private int guaranteedFrames;

    /** Of those, copies that the application has and this loop knows of. */
    private int copiedFrames;

    private int lentFrames;

    /** Frames that it may have because it has released some; 0 before it releases the first. */
    private int earnedFrames;

    private int releasedFrames;
    private int activeFlows;

    /** Frames that sources lack of those that are kept for them. */
    private int missingFrames;

    private boolean isClosed;

    /**
     * The limit of its user or tenant keeps it from what it has earned, which has been reported.
     */
    private boolean isLimitReported;

    /** Frames that were recently promised to sources without a flow, and since when. */
    private int promisedFrames;

    private long promisedSinceNs;

    /**
     * Begins with nothing committed.
     *
     * @param recall of the loop that owns the context.
     * @param sizes what is guaranteed, and what it may have at first.
     * @param guarantees divides what is guaranteed beyond the floor.
     * @param node lends what the node has.
     * @param terms those of the context.
     */
    ContextCredit(
            final CreditRecallTimer recall,
            final CreditSizes sizes,
            final GuaranteePool guarantees,
            final CreditPool node,
            final ContextTerms terms) {
        this.recall = recall;
        this.sizes = sizes;
        this.guarantees = guarantees;
        this.node = node;
        rights = terms.rights();
        user = rights.receiveCredit();
        guaranteedFrames = sizes.floorFrames();
        quotaFrames = terms.receiveQuotaFrames();
        isCopied = terms.isCopied();
        if (isGuaranteed()) {
            guarantees.onOpened();
            settle();
        }
    }

    private boolean isGuaranteed() {
        return sizes.floorFrames() > 0;
    }

    /**
     * Takes or gives back frames until it has its part of those that are divided: what it has
     * promised or holds stays. Called whenever the parts have changed.
     */
    void settle() {
        if (!isGuaranteed()) {
            return;
        }
        final int own = guaranteedFrames - sizes.floorFrames();
        final int part = isClosed ? 0 : guarantees.partFrames();
        if (own < part) {
            guaranteedFrames += guarantees.take(part - own);
        } else if (own > part) {
            final int unused = Math.clamp(coveredFrames(), 0, own - part);
            guaranteedFrames -= unused;
            guarantees.giveBack(unused);
        }
    }

    /** Raises what {@code flow} may send as far as its share allows; else it waits in line. */
    void grant(final ReceiveFlow flow) {
        final ReceiveWindow window = flow.window;
        final int next = flow.array.next();
        final int beyond = window.catchUp(next);
        if (beyond > 0) {
            commit(window, beyond);
        }
        onArrived(window, next);
        window.grow(next);
        settle();
        final int limit = limitFrames();
        final int asking = activeFlows + line.length() + (window.isActive() ? 0 : 1);
        final int share = Math.max(1, limit / sharers(flow.context, limit, asking));
        final int wanted = Math.min(share - window.committedFrames(), window.wantedFrames(next));
        final int granted = cover(Math.min(wanted, freeFrames(window, limit)));
        if (granted > 0) {
            commit(window, granted);
            window.raise(granted);
            assert committedFrames <= quotaFrames : committedFrames + " of " + quotaFrames;
        } else if (wanted > 0 && window.unusedFrames(next) == 0 && line.add(flow.creditPlace)) {
            recall.onShortOfCredit();
        }
        if (limit >= earnedFrames()) {
            isLimitReported = false;
        } else if (window.wantedFrames(next) > 0) {
            onShortage();
        }
    }

    /**
     * What a source may still have. A source that has just given its window back, and sends again
     * at once, would find that another has taken everything, and each message of sources that take
     * turns would wait for a recall: so a few frames are kept for each source, and no more than
     * half of all.
     */
    private int freeFrames(final ReceiveWindow window, final int limit) {
        final int free = limit - committedFrames;
        final int own = missingFrames(window);
        final int ofOthers = Math.min(missingFrames - own, limit / 2);
        return Math.max(Math.min(own, free), free - ofOthers);
    }

    /** Those that have nothing at the moment count, too, as long as there is enough for all. */
    private static int sharers(final FlowContext context, final int limit, final int asking) {
        return Math.max(
                Math.max(1, asking), Math.min(context.receiveFlowCount(), limit / AMPLE_FRAMES));
    }

    private static int missingFrames(final ReceiveWindow window) {
        return window.isKept() ? Math.max(0, KEPT_FRAMES - window.committedFrames()) : 0;
    }

    /** Frames are kept for a new source. */
    void add(final ReceiveWindow window) {
        window.keep(true);
        missingFrames += missingFrames(window);
    }

    /** Nothing is kept for a source whose flow ends. */
    void remove(final ReceiveWindow window) {
        missingFrames -= missingFrames(window);
        window.keep(false);
        assert missingFrames >= 0 : missingFrames;
    }

    private void onShortage() {
        node.onShortage();
        if (user != null
                && !isLimitReported
                && user.allowance(lentFrames) < node.allowance(lentFrames)) {
            isLimitReported = true;
            rights.onCreditLimited();
        }
    }

    /** Frames that the context may have now: this changes with what others have. */
    int limitFrames() {
        final int covered = guaranteedFrames + lentFrames + copiedFrames;
        int allowance = node.allowance(lentFrames);
        if (user != null) {
            allowance = Math.min(allowance, user.allowance(lentFrames));
        }
        if (earnedFrames == 0 && isGuaranteed()) {
            final int free = node.freeFrames() - sizes.lentFrames() + sizes.untriedFrames();
            allowance = Math.min(allowance, Math.max(0, free));
        }
        return Math.min(earnedFrames(), covered + allowance);
    }

    /** What it may have if others want nothing: at first as much as a new flow needs. */
    private int earnedFrames() {
        if (earnedFrames > 0) {
            return earnedFrames;
        }
        // An end without a guarantee borrows as much as others are guaranteed.
        final int own = isGuaranteed() ? guaranteedFrames : 1 + sizes.partFrames(0);
        return Math.min(quotaFrames, own + ReceiveWindow.FIRST_TARGET_FRAMES);
    }

    // Borrows what is missing to commit that many more frames; returns how many of them are
    // covered.
    private int cover(final int frames) {
        final int missing = frames - coveredFrames();
        return frames <= 0 || missing <= 0 ? frames : frames - missing + borrow(missing);
    }

    // Frames that may be committed without borrowing more; below 0 if too many are committed.
    private int coveredFrames() {
        return guaranteedFrames + lentFrames + copiedFrames - committedFrames;
    }

    private int borrow(final int frames) {
        final int allowed = user == null ? frames : user.lend(frames);
        final int lent = node.lend(allowed);
        if (user != null && lent < allowed) {
            user.giveBack(allowed - lent);
        }
        lentFrames += lent;
        return lent;
    }

    private void giveBackIdle() {
        final int idle = Math.min(lentFrames, coveredFrames());
        if (isClosed || idle > lentFrames / IDLE_PART + IDLE_FRAMES) {
            lentFrames -= idle;
            node.giveBack(idle);
            if (user != null) {
                user.giveBack(idle);
            }
        }
        if (isClosed) {
            settle();
        }
    }

    /** The context is closed: all that it has goes back as soon as its frames do. */
    void close() {
        isClosed = true;
        if (isGuaranteed()) {
            guarantees.onClosed();
        }
        giveBackIdle();
    }

    /**
     * What a source may send that has no flow yet, 0 or more. Only its first frame commits any of
     * it, because anybody can ask; so promises made within a few milliseconds also stay within the
     * limit. A source that gets nothing asks for more by a probe, which makes its flow.
     */
    int promise(final long nowNs) {
        if (promisedFrames == 0 || nowNs - promisedSinceNs >= PROMISE_NS) {
            promisedSinceNs = nowNs;
            promisedFrames = 0;
        }
        final int limit = limitFrames();
        final int share = Math.max(1, limit / (activeFlows + line.length() + 1));
        final int free = limit - committedFrames - promisedFrames;
        final int frames =
                Math.max(0, Math.min(ReceiveWindow.FIRST_TARGET_FRAMES, Math.min(share, free)));
        promisedFrames += frames;
        return frames;
    }

    /** Takes back the last {@code frames} that were announced to a source. */
    void takeBack(final ReceiveWindow window, final int frames) {
        final boolean wasActive = window.isActive();
        missingFrames -= missingFrames(window);
        window.takeBack(frames);
        count(wasActive, window, -frames);
    }

    /** Frames were handed over: if they were copied, they no longer occupy the pool. */
    void onArrived(final ReceiveWindow window, final int next) {
        if (isCopied) {
            copiedFrames += window.takeArrived(next);
            giveBackIdle();
        }
    }

    /** The application has released a frame of a source. */
    void onReleased(final ReceiveWindow window) {
        earnedFrames = earnedFrames();
        if (earnedFrames < quotaFrames && ++releasedFrames >= earnedFrames / 2) {
            releasedFrames = 0;
            earnedFrames = Math.min(quotaFrames, 2 * earnedFrames);
        }
        copiedFrames -= isCopied ? 1 : 0;
        commit(window, -1);
    }

    /** Commits frames of a source, or gives up as many as it is below 0. */
    void commit(final ReceiveWindow window, final int frames) {
        final boolean wasActive = window.isActive();
        missingFrames -= missingFrames(window);
        window.commit(frames);
        count(wasActive, window, frames);
    }

    private void count(final boolean wasActive, final ReceiveWindow window, final int frames) {
        committedFrames += frames;
        missingFrames += missingFrames(window);
        if (wasActive != window.isActive()) {
            activeFlows += wasActive ? -1 : 1;
        }
        assert activeFlows >= 0 : "sources with frames: " + activeFlows;
        if (frames < 0 && (lentFrames > 0 || isClosed)) {
            giveBackIdle();
        }
    }

    /** Sources that wait for credit. */
    int waiting() {
        return line.length();
    }

    /**
     * Takes the source out of the line that has waited longest, if there is credit at all;
     * otherwise null.
     */
    ReceiveFlow pollLine() {
        return line.isEmpty() || limitFrames() - committedFrames <= 0 ? null : line.poll();
    }

    /** Frames that it may have whatever others have. */
    int guaranteedFrames() {
        return guaranteedFrames;
    }

    int quotaFrames() {
        return quotaFrames;
    }

    int committedFrames() {
        return committedFrames;
    }

    /** True while a source waits for credit. */
    boolean isShort() {
        return !line.isEmpty();
    }

    /** True while the context has frames that others could use. */
    boolean isBorrower() {
        return lentFrames > 0;
    }
}
