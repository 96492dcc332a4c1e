package io.hxb.sim.ethernet;

import java.util.ArrayList;
import java.util.List;

/** Hosts that send as fast as their link takes it, as UDP tests do. Owned by one run. */
public final class ConstantRateTraffic implements SimulatedApplication {
    private final List<Flow> flows;
    private final List<List<Integer>> flowsOf = new ArrayList<>();
    private final int[] turn;
    private final int frameBytes;
    private final long[] sent;
    private final long[] deliveredBytes;

    /** One sender, one receiver, and the VLAN that the frames are in. */
    public record Flow(int source, int destination, int vlan) {}

    /**
     * Prepares flows.
     *
     * @param frameBytes from the destination's address to the end of the payload.
     */
    public ConstantRateTraffic(final List<Flow> flows, final int hosts, final int frameBytes) {
        this.flows = List.copyOf(flows);
        this.frameBytes = frameBytes;
        this.turn = new int[hosts];
        this.sent = new long[flows.size()];
        this.deliveredBytes = new long[flows.size()];
        for (int host = 0; host < hosts; host++) {
            flowsOf.add(new ArrayList<>());
        }
        for (int flow = 0; flow < flows.size(); flow++) {
            flowsOf.get(flows.get(flow).source).add(flow);
        }
    }

    @Override
    public boolean next(final int host, final long nowNs, final Draft draft) {
        final List<Integer> own = flowsOf.get(host);
        if (own.isEmpty()) {
            return false;
        }
        final int index = own.get(turn[host]++ % own.size());
        final Flow flow = flows.get(index);
        sent[index]++;
        draft.set(flow.destination, flow.vlan, frameBytes, index);
        return true;
    }

    @Override
    public void onFrame(
            final EthernetNetwork network,
            final int host,
            final int source,
            final int vlan,
            final int bytes,
            final int tag,
            final long nowNs) {
        deliveredBytes[tag] += bytes;
    }

    /** Bytes of a flow that arrived. */
    public long deliveredBytes(final int flow) {
        return deliveredBytes[flow];
    }

    /** Share of all frames sent that did not arrive. */
    public double loss() {
        long all = 0;
        long arrived = 0;
        for (int flow = 0; flow < sent.length; flow++) {
            all += sent[flow];
            arrived += deliveredBytes[flow] / frameBytes;
        }
        return all == 0 ? 0 : 1 - (double) arrived / all;
    }
}
