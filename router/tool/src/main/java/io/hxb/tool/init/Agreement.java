package io.hxb.tool.init;

import io.hxb.tool.init.NeighbourSurvey.State;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides when {@code hxb init} may end: when nothing new has come for a while, and all machines
 * that still answer know the same, so that they write the same file. Owned by one thread.
 *
 * <p>A machine that ends continues to answer until the others have ended, too, or for 5 s. One that
 * is told that another has ended with the same knowledge ends as well. Machines that have not been
 * heard of for 10 s are gone, and nobody waits for them.
 */
final class Agreement {
    /** A machine whose state has not been renewed for so long is gone. */
    static final long SILENT_NS = 10_000_000_000L;

    /** How long nothing new must come after the expected machines were found. */
    static final long QUIET_NS = 2_000_000_000L;

    /** How long it answers after its end. */
    static final long LINGER_NS = 5_000_000_000L;

    /** How long it waits at its end for machines that know something else. */
    static final long PATIENCE_NS = 60_000_000_000L;

    private final String self;
    private final long windowNs;
    private final long aloneNs;
    private final int expected;
    private final Map<String, State> seen = new HashMap<>();
    private final Map<String, Long> renewedNs = new HashMap<>();
    private final long startNs;
    private long newsNs;
    private boolean isOrdered;
    private boolean isWanted;
    private long wantedNs;
    private boolean hasEnded;
    private long endedNs;
    private boolean isDone;

    /**
     * At the start.
     *
     * @param self id of this machine.
     * @param windowNs how long nothing new must come.
     * @param aloneNs how long the first answer may take.
     * @param expected machines that are expected; 0 if their number is not known.
     */
    Agreement(
            final String self,
            final long windowNs,
            final long aloneNs,
            final int expected,
            final long nowNs) {
        this.self = self;
        this.windowNs = windowNs;
        this.aloneNs = aloneNs;
        this.expected = expected;
        startNs = nowNs;
        newsNs = nowNs;
    }

    /** Something new was heard. */
    void onNews(final long nowNs) {
        newsNs = nowNs;
    }

    /** The user wants the end. */
    void onEnter() {
        isOrdered = true;
    }

    /** Looks at what is known now. */
    void update(final NeighbourSurvey known, final long nowNs) {
        known.machines().keySet().forEach(id -> renew(id, known.states().get(id), nowNs));
        final boolean wants = isOrdered || isDue(known, nowNs) || hasAnotherEnded(known);
        if (!wants) {
            isWanted = false;
            hasEnded = false;
            return;
        }
        wantedNs = isWanted ? wantedNs : nowNs;
        isWanted = true;
        if (!missing(known, nowNs).isEmpty()) {
            hasEnded = false;
            isDone = nowNs - wantedNs >= PATIENCE_NS;
            return;
        }
        endedNs = hasEnded ? endedNs : nowNs;
        hasEnded = true;
        isDone = nowNs - endedNs >= LINGER_NS || haveOthersEnded(known, nowNs);
    }

    private void renew(final String id, final State state, final long nowNs) {
        final State before = seen.put(id, state);
        if (!renewedNs.containsKey(id)
                || (state != null && (before == null || before.stampMs() != state.stampMs()))) {
            renewedNs.put(id, nowNs);
        }
    }

    private boolean isDue(final NeighbourSurvey known, final long nowNs) {
        final int count = known.machines().size();
        if (count < 2) {
            return nowNs - startNs >= aloneNs;
        }
        return nowNs - newsNs >= windowNs
                || (expected > 0 && count >= expected && nowNs - newsNs >= QUIET_NS);
    }

    private boolean hasAnotherEnded(final NeighbourSurvey known) {
        return known.states().entrySet().stream()
                .anyMatch(
                        entry ->
                                !entry.getKey().equals(self)
                                        && entry.getValue().hasEnded()
                                        && entry.getValue().digest() == known.digest());
    }

    private boolean haveOthersEnded(final NeighbourSurvey known, final long nowNs) {
        return known.machines().keySet().stream()
                .filter(id -> !id.equals(self) && !isGone(id, nowNs))
                .allMatch(id -> known.states().get(id).hasEnded());
    }

    private boolean isGone(final String id, final long nowNs) {
        return nowNs - renewedNs.getOrDefault(id, nowNs) >= SILENT_NS;
    }

    /** Ids of machines that still answer, and do not know what this one knows. */
    List<String> missing(final NeighbourSurvey known, final long nowNs) {
        return others(known, nowNs, false);
    }

    /** Ids of machines that were heard, have gone, and may have written another file or none. */
    List<String> lost(final NeighbourSurvey known, final long nowNs) {
        return others(known, nowNs, true);
    }

    private List<String> others(
            final NeighbourSurvey known, final long nowNs, final boolean areGone) {
        final List<String> found = new ArrayList<>();
        for (final String id : known.machines().keySet()) {
            final State state = known.states().get(id);
            if (!id.equals(self)
                    && (state == null || state.digest() != known.digest())
                    && isGone(id, nowNs) == areGone) {
                found.add(id);
            }
        }
        return found;
    }

    /** It wants the end; others may have to learn something first. */
    boolean isWanted() {
        return isWanted;
    }

    /** What it tells the others: its knowledge is complete, and it only answers. */
    boolean hasEnded() {
        return hasEnded;
    }

    /** Nobody needs it any more. */
    boolean isDone() {
        return isDone;
    }
}
