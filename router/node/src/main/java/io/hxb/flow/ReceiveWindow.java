package io.hxb.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the source of one flow may send: up to which sequence, how much of that was advertised, and
 * how much it has earned. Owned by the loop that owns the context; {@link ContextCredit} decides.
 * Loops that receive ask {@link #isOpenFor} before they keep a frame.
 */
final class ReceiveWindow {
    /** What the source of a new flow may send, if there is credit for it. */
    static final int FIRST_TARGET_FRAMES = FlowCookies.MAX_FRAMES;

    private static final VarHandle LIMIT;

    static {
        try {
            LIMIT = MethodHandles.lookup().findVarHandle(ReceiveWindow.class, "limit", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int maxFrames;

    /**
     * First sequence that the source may not send yet, and the last advertised one. Published
     * before the source is notified.
     */
    private int limit;

    private int announcedLimit;

    /**
     * Frames announced and not released yet. A frame that another loop stored just as the limit was
     * lowered counts only when its arrival is seen; until then this is too small, and even below 0
     * if the context has released the frame already.
     */
    private int committedFrames;

    /** Window that the source has earned by using it. */
    private int targetFrames;

    private int grownAt;
    private boolean isKept;

    /** First sequence that the context's credit has not seen arrive. */
    private int arrivedNext;

    ReceiveWindow(final int firstSequence, final int maxFrames) {
        this.maxFrames = maxFrames;
        LIMIT.setRelease(this, firstSequence);
        announcedLimit = firstSequence;
        grownAt = firstSequence;
        arrivedNext = firstSequence;
        targetFrames = Math.min(FIRST_TARGET_FRAMES, maxFrames);
    }

    /**
     * True if the source may have sent {@code sequence}, as it is or was announced; any thread.
     * What it sends beyond that is not kept: nobody has accounted for it.
     */
    boolean isOpenFor(final int sequence) {
        return sequence - (int) LIMIT.getAcquire(this) < 0;
    }

    /** Frames that the source may send when {@code next} is the next to arrive. */
    int unusedFrames(final int next) {
        return limit - next;
    }

    /** Frames by which the window is smaller than the source has earned. */
    int wantedFrames(final int next) {
        return next + targetFrames - limit;
    }

    int committedFrames() {
        return committedFrames;
    }

    /** Frames are kept for the source while it has none, or no longer. */
    void keep(final boolean isIt) {
        isKept = isIt;
    }

    boolean isKept() {
        return isKept;
    }

    /** True while frames are announced to the source or held by the application. */
    boolean isActive() {
        return committedFrames > 0;
    }

    /** Commits that many frames, or gives up as many as it is below 0. */
    void commit(final int frames) {
        committedFrames += frames;
    }

    /** Raises the limit to {@code next}, if frames arrived beyond it; returns how many. */
    int catchUp(final int next) {
        final int beyond = next - limit;
        if (beyond <= 0) {
            return 0;
        }
        LIMIT.setRelease(this, next);
        return beyond;
    }

    /** Frames that were handed over since the last call; {@code next} is the next to arrive. */
    int takeArrived(final int next) {
        final int frames = next - arrivedNext;
        arrivedNext = next;
        return frames;
    }

    /** Lets the source send that many more. */
    void raise(final int frames) {
        LIMIT.setRelease(this, limit + frames);
    }

    /** Takes back the last {@code frames} that were announced. */
    void takeBack(final int frames) {
        assert frames > 0 : frames;
        LIMIT.setRelease(this, limit - frames);
        announcedLimit = limit;
        commit(-frames);
    }

    /** A source that used half of its window gets twice as much. */
    void grow(final int next) {
        if (targetFrames < maxFrames && next - grownAt >= targetFrames / 2) {
            grownAt = next;
            targetFrames = Math.min(maxFrames, 2 * targetFrames);
        }
    }

    /** The limit was sent to the source. */
    void onAnnounced() {
        assert limit - announcedLimit >= 0 : "only taking back lowers what was announced";
        announcedLimit = limit;
    }

    /**
     * True if the limit should be advertised to the source: it has no window left, or could have
     * much more.
     */
    boolean isNews(final int next) {
        if (limit - next <= 0) {
            return false;
        }
        final int advertised = announcedLimit - next;
        return advertised <= 0 || limit - announcedLimit >= Math.max(1, targetFrames / 2);
    }
}
