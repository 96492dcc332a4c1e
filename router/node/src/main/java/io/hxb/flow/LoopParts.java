package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.route.RouteTable;
import io.hxb.link.LoopClock;

/**
 * What everything that works for one flow loop shares. Owned by the loop.
 *
 * @param table all flows of the node.
 * @param output where frames go.
 * @param pool memory of frames to send.
 * @param control writes the frames by which two ends agree.
 * @param counters of the loop.
 * @param clock the time of the loop's turn.
 * @param inbox what other loops hand to it.
 * @param recall when silent sources are asked for window.
 * @param sweep when idle flows are looked for.
 */
record LoopParts(
        FlowTable table,
        FlowOutput output,
        TxPool pool,
        ControlWriter control,
        CounterBlock counters,
        LoopClock clock,
        LoopInbox inbox,
        CreditRecallTimer recall,
        SweepTimer sweep) {

    FlowConfig config() {
        return table.config();
    }

    RouteTable routes() {
        return output.routes();
    }
}
