package io.hxb.flow;

/**
 * How many frames the sources of one context may send. Every frame that was announced to a source
 * and every frame that the application holds is committed; what is granted stays within the quota.
 * Sources share it evenly; who gets none waits in line. Owned by the loop that owns the context.
 */
final class ContextCredit {
    private final FlowLoop owner;
    private final int quotaFrames;
    private final WaitingLine<ReceiveFlow> line = new WaitingLine<>();
    private int committedFrames;
    private int activeFlows;

    ContextCredit(final FlowLoop owner, final int quotaFrames) {
        this.owner = owner;
        this.quotaFrames = quotaFrames;
    }

    /** Raises what {@code flow} may send as far as its share allows; else it waits in line. */
    void grant(final ReceiveFlow flow) {
        final ReceiveWindow window = flow.window;
        final int next = flow.array.next();
        final int beyond = window.catchUp(next);
        if (beyond > 0) {
            commit(window, beyond);
        }
        window.grow(next);
        final int sharers = activeFlows + line.length() + (window.isActive() ? 0 : 1);
        final int share = Math.max(1, quotaFrames / Math.max(1, sharers));
        final int wanted = Math.min(share - window.committedFrames(), window.wantedFrames(next));
        final int granted = Math.min(wanted, quotaFrames - committedFrames);
        if (granted > 0) {
            commit(window, granted);
            window.raise(granted);
            assert committedFrames <= quotaFrames : committedFrames + " of " + quotaFrames;
        } else if (wanted > 0 && window.unusedFrames(next) == 0 && line.add(flow.creditPlace)) {
            owner.onShortOfCredit();
        }
    }

    /** Takes back the last {@code frames} that were announced to a source. */
    void takeBack(final ReceiveWindow window, final int frames) {
        final boolean wasActive = window.isActive();
        window.takeBack(frames);
        count(wasActive, window, -frames);
    }

    /** Commits frames of a source, or gives up as many as it is below 0. */
    void commit(final ReceiveWindow window, final int frames) {
        final boolean wasActive = window.isActive();
        window.commit(frames);
        count(wasActive, window, frames);
    }

    private void count(final boolean wasActive, final ReceiveWindow window, final int frames) {
        committedFrames += frames;
        if (wasActive != window.isActive()) {
            activeFlows += wasActive ? -1 : 1;
        }
        assert activeFlows >= 0 : "sources with frames: " + activeFlows;
    }

    /** The source that waits longest, if there is credit for it; it leaves the line. Else null. */
    ReceiveFlow pollLine() {
        return quotaFrames - committedFrames <= 0 ? null : line.poll();
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
}
