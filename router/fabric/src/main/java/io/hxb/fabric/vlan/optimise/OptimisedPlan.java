package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.VlanPlan;

/**
 * A plan for given traffic, and how good it is. Loads are amounts of traffic on one channel; where
 * all rates are known, on one channel as fast as the fastest. Immutable.
 *
 * @param plan the plan.
 * @param pairs pairs of hosts on different switches with traffic.
 * @param loadBefore load of the busiest channel under the plan that was given.
 * @param load the same now.
 * @param lowerBound what no choice among these VLANs can stay below.
 * @param isOptimal whether {@code load} is proven to be the minimum.
 */
public record OptimisedPlan(
        VlanPlan plan,
        int pairs,
        double loadBefore,
        double load,
        double lowerBound,
        boolean isOptimal) {
    /** Bound on the excess of the load over the minimum, 0.1 for 10 %; 0 when it is optimal. */
    public double gap() {
        return isOptimal || lowerBound == 0 ? 0 : load / lowerBound - 1;
    }
}
