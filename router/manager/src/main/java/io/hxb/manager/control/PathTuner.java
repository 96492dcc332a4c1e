package io.hxb.manager.control;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.optimise.Improvement;
import io.hxb.fabric.vlan.optimise.PairTraffic;
import io.hxb.fabric.vlan.optimise.TableImprover;

import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides, interval by interval, which pairs take another VLAN: few, only what brings enough in
 * several intervals in a row, and none again soon. It reads no clock, asks nobody, and decides the
 * same for the same intervals. Owned by one thread.
 */
public final class PathTuner {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long MAX_HOLD_NS = TimeUnit.HOURS.toNanos(1);

    /** More pairs than these are looked at together only now and then, since that takes seconds. */
    private static final int MANY_PAIRS = 20_000;

    private static final int SELDOM = 10;
    private static final int NO_VLAN = -1;

    private final VlanPlan plan;
    private final TuningTerms terms;
    private final TableImprover improver;
    private final Int2IntHashMap vlanOfVid = new Int2IntHashMap(NO_VLAN);
    private final Deque<List<PairState>> window = new ArrayDeque<>();
    private final Long2ObjectHashMap<Hold> holds = new Long2ObjectHashMap<>();
    private final Deque<Recent> recent = new ArrayDeque<>();
    private int thoroughPause;
    private int lastPause;

    private record Hold(long untilNs, long lengthNs) {}

    private record Recent(long atNs, int count) {}

    /**
     * For the hosts and VLANs of a plan.
     *
     * @param plan a host-tagged one.
     */
    public PathTuner(final VlanPlan plan, final TuningTerms terms) {
        this.plan = plan;
        this.terms = terms;
        improver = new TableImprover(plan);
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            vlanOfVid.put(plan.vid(vlan), vlan);
        }
    }

    /** Forgets the intervals so far; what was changed stays remembered. */
    public void forget() {
        window.clear();
    }

    /**
     * Decides after an interval.
     *
     * @param nowNs its end.
     * @param pairs with traffic in it, each once.
     */
    public Decision decide(final long nowNs, final List<PairState> pairs) {
        window.addLast(pairs);
        if (window.size() > terms.intervals()) {
            window.removeFirst();
        }
        final PairTraffic traffic = traffic(nowNs, pairs);
        final double[] loads = improver.loads(traffic);
        final int busiest = busiest(loads);
        if (busiest < 0) {
            return new Decision(List.of(), "nothing is sent between switches", 0, "", 0);
        }
        final double load = loads[busiest];
        if (window.size() < terms.intervals()) {
            return none(
                    "measuring: interval %d of %d".formatted(window.size(), terms.intervals()),
                    load,
                    busiest);
        }
        if (load < terms.minLoadBps()) {
            return none("no link is busy", load, busiest);
        }
        return decide(nowNs, traffic, busiest);
    }

    private Decision none(final String why, final double load, final int busiest) {
        return new Decision(List.of(), why, load, name(busiest), load);
    }

    private Decision decide(final long nowNs, final PairTraffic traffic, final int busiest) {
        final int allowed = allowed(nowNs);
        final boolean isThorough = thoroughPause-- <= 0;
        final Improvement found =
                improver.improve(
                        traffic,
                        new TableImprover.Terms(
                                terms.minGain(), terms.minLoadBps(), allowed, isThorough));
        if (isThorough) {
            // What finds nothing is done half as often, since it takes long.
            final int first = traffic.size() <= MANY_PAIRS ? 1 : SELDOM;
            lastPause =
                    found.moves().isEmpty() ? Math.min(SELDOM, Math.max(first, 2 * lastPause)) : 0;
            thoroughPause = lastPause;
        }
        if (found.moves().isEmpty()) {
            return none(
                    allowed == 0
                            ? "the limit of %d changes a minute is reached"
                                    .formatted(terms.maxChangesPerMinute())
                            : "no change would relieve a busy link by %.0f %%"
                                    .formatted(100 * terms.minGain()),
                    found.busiestBefore(),
                    busiest);
        }
        final List<PathChange> changes = new ArrayList<>();
        for (final Improvement.Move move : found.moves()) {
            changes.add(
                    new PathChange(
                            move.low(),
                            move.high(),
                            plan.vid(move.from()),
                            plan.vid(move.to()),
                            name(move.channel()),
                            move.before(),
                            move.after()));
        }
        return new Decision(
                changes,
                "%d of %d pairs with traffic change".formatted(changes.size(), traffic.size()),
                found.busiestBefore(),
                name(busiest),
                found.busiestAfter());
    }

    private static int busiest(final double[] loads) {
        int busiest = -1;
        for (int channel = 0; channel < loads.length; channel++) {
            if (loads[channel] > 0 && (busiest < 0 || loads[channel] > loads[busiest])) {
                busiest = channel;
            }
        }
        return busiest;
    }

    private String name(final int channel) {
        final SwitchGraph graph = plan.graph();
        return graph.switchName(graph.source(channel))
                + " to "
                + graph.switchName(graph.target(channel));
    }

    private int allowed(final long nowNs) {
        int changed = 0;
        while (!recent.isEmpty() && nowNs - recent.getFirst().atNs >= MINUTE_NS) {
            recent.removeFirst();
        }
        for (final Recent some : recent) {
            changed += some.count;
        }
        return terms.maxChangesPerMinute() - changed;
    }

    private PairTraffic traffic(final long nowNs, final List<PairState> newest) {
        final PairTraffic traffic = new PairTraffic(window.size());
        final Long2ObjectHashMap<Integer> places = new Long2ObjectHashMap<>();
        for (final PairState pair : newest) {
            final int vlan = vlanOfVid.get(pair.vid());
            if (isBetweenSwitches(pair) && vlan != NO_VLAN) {
                final boolean isFixed =
                        !pair.isFree()
                                || isHeld(nowNs, pair.key())
                                || !improver.isAllowed(pair.low(), pair.high(), vlan);
                places.put(
                        pair.key(), (Integer) traffic.add(pair.low(), pair.high(), vlan, isFixed));
            }
        }
        int interval = 0;
        for (final List<PairState> pairs : window) {
            for (final PairState pair : pairs) {
                final Integer place = places.get(pair.key());
                if (place != null) {
                    traffic.set(interval, place, pair.thereBps(), pair.backBps());
                }
            }
            interval++;
        }
        return traffic;
    }

    private boolean isBetweenSwitches(final PairState pair) {
        return plan.graph().hostSwitch(pair.low()) != plan.graph().hostSwitch(pair.high());
    }

    private boolean isHeld(final long nowNs, final long key) {
        final Hold hold = holds.get(key);
        return hold != null && hold.untilNs - nowNs > 0;
    }

    /**
     * Changes were made: they count, and what was measured before them no longer does.
     *
     * @param changes those that hold now.
     */
    public void onChanged(final long nowNs, final List<PathChange> changes) {
        if (changes.isEmpty()) {
            return;
        }
        window.clear();
        recent.addLast(new Recent(nowNs, changes.size()));
        for (final PathChange change : changes) {
            final Hold before = holds.get(change.key());
            final boolean isSoon = before != null && nowNs - before.untilNs < 2 * before.lengthNs;
            final long lengthNs =
                    isSoon
                            ? Math.max(terms.holdNs(), Math.min(MAX_HOLD_NS, 2 * before.lengthNs))
                            : terms.holdNs();
            holds.put(change.key(), new Hold(nowNs + lengthNs, lengthNs));
        }
        holds.values().removeIf(hold -> nowNs - hold.untilNs > 2 * hold.lengthNs);
    }
}
