package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.List;

/**
 * Finds the few changes of VLANs that relieve the busiest links most, from the VLANs that pairs
 * have now. A plan that cannot deadlock stays so. Deterministic. Owned by one thread; paths between
 * switches are kept from call to call.
 */
public final class TableImprover {
    private static final long SEED = 1;

    /** Above its lower bound by less than this, the load is as good as optimal. */
    private static final double NEAR = 1.05;

    private final VidCandidates vidCandidates;
    private final long fastestBps;

    /**
     * What has to hold for a change.
     *
     * @param minGain by which part the load of the busy link has to fall in every interval, 0 to 1.
     * @param minLoad links with less load are left alone, in the unit of the traffic.
     * @param maxMoves maximum number of changes.
     * @param isThorough whether all pairs may be considered together where single changes lead no
     *     further; takes longer.
     */
    public record Terms(double minGain, double minLoad, int maxMoves, boolean isThorough) {
        /** Checks the values. */
        public Terms {
            if (!(minGain > 0 && minGain < 1) || !(minLoad >= 0) || maxMoves < 0) {
                throw new IllegalArgumentException(
                        "terms of changes: gain "
                                + minGain
                                + ", load "
                                + minLoad
                                + ", moves "
                                + maxMoves);
            }
        }
    }

    /**
     * For the hosts and VLANs of a plan.
     *
     * @param plan a host-tagged one.
     */
    public TableImprover(final VlanPlan plan) {
        if (plan.kind() != PlanKind.HOST_TAGGED) {
            throw new IllegalArgumentException("switches tag in this plan");
        }
        vidCandidates = new VidCandidates(plan, new AllowedPaths(plan));
        fastestBps = VidProblem.fastestBps(plan.graph());
    }

    /** Whether a pair may have a VLAN. */
    public boolean isAllowed(final int low, final int high, final int vlan) {
        return vidCandidates.has(low, high, vlan);
    }

    /** Rate of the fastest link, by which loads count; 0 if rates are not known. */
    public long fastestBps() {
        return fastestBps;
    }

    /** Mean loads of all channels, {@code [channels]}. */
    public double[] loads(final PairTraffic traffic) {
        final VidProblem problem = traffic.mean(vidCandidates);
        return problem.loads(problem.given());
    }

    /** What is worth changing. */
    public Improvement improve(final PairTraffic traffic, final Terms terms) {
        final VidProblem mean = traffic.mean(vidCandidates);
        final VidProblem[] intervals = new VidProblem[traffic.intervals()];
        for (int i = 0; i < intervals.length; i++) {
            intervals[i] = traffic.interval(mean, i);
        }
        final HotspotRelief relief = new HotspotRelief(mean, intervals, terms);
        relief.run();
        final double before = VidProblem.busiest(mean.loads(mean.given()));
        final double after = VidProblem.busiest(relief.loads());
        if (terms.isThorough() && after >= terms.minLoad() && after > 0) {
            final Improvement better = thorough(mean, intervals, terms, after);
            if (better != null) {
                return better;
            }
        }
        return new Improvement(relief.moves(), before, after, relief.isLimited());
    }

    /** All pairs together, if that is better than {@code reached}; null otherwise. */
    private static Improvement thorough(
            final VidProblem mean,
            final VidProblem[] intervals,
            final Terms terms,
            final double reached) {
        final double bound = LowerBound.of(mean);
        if (reached <= bound * NEAR) {
            return null;
        }
        int[] best = new LocalSearch(mean, bound, SEED).runFromGiven();
        double least = VidProblem.busiest(mean.loads(best));
        if (least > bound * NEAR) {
            final int[] fresh = new LocalSearch(mean, bound, SEED).run();
            if (VidProblem.busiest(mean.loads(fresh)) * NEAR < least) {
                best = fresh;
                least = VidProblem.busiest(mean.loads(best));
            }
        }
        if (least > bound * NEAR && mean.size() <= VidOptimiser.MAX_PAIRS_EXACT) {
            final ExactSearch exact = new ExactSearch(mean, best, bound);
            exact.run();
            best = exact.best();
            least = VidProblem.busiest(mean.loads(best));
        }
        return least * NEAR > reached ? null : together(mean, intervals, terms, best);
    }

    private static Improvement together(
            final VidProblem mean,
            final VidProblem[] intervals,
            final Terms terms,
            final int[] target) {
        final JointMoves found = new JointMoves(mean, target);
        final double before = VidProblem.busiest(mean.loads(mean.given()));
        for (final VidProblem interval : intervals) {
            final double old = VidProblem.busiest(interval.loads(mean.given()));
            final double expected = VidProblem.busiest(interval.loads(found.choice()));
            if (expected > old * (1 - terms.minGain())) {
                return null;
            }
        }
        final List<Improvement.Move> moves = found.moves();
        final boolean isTooMuch = moves.size() > terms.maxMoves();
        return isTooMuch
                ? null
                : new Improvement(
                        moves, before, VidProblem.busiest(mean.loads(found.choice())), false);
    }
}
