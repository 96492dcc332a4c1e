package io.hxb.tool.sim.paper;

import io.hxb.sim.measure.RunResult;

/**
 * What a paper's table needs of one run. Immutable.
 *
 * @param load flits per cycle and host that were asked for.
 * @param accepted flits per cycle and host that arrived.
 * @param latency mean, in cycles; 0 when nothing arrived.
 * @param hops mean links passed.
 * @param isSaturated whether clearly less arrived than was made.
 */
record CurvePoint(double load, double accepted, double latency, double hops, boolean isSaturated) {
    static CurvePoint of(final RunResult result) {
        return new CurvePoint(
                result.load(),
                result.accepted(),
                result.latency().mean(),
                result.hops(),
                result.isSaturated());
    }
}
