package io.hxb.sim.ethernet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Flows with a window of frames on the way, which grows by one each round trip and is halved when a
 * frame is lost, as TCP's is; every frame is acknowledged. Lost frames are not sent again: only
 * rates are of interest. Both ends may change their VLAN at any time. Owned by one run.
 */
public final class WindowedTraffic implements SimulatedApplication {
    private static final int ACK_BYTES = 64;
    private static final int NUMBER_BITS = 20;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final long TIMEOUT_NS = 20_000_000;

    private final int frameBytes;
    private final int maxFrames;
    private final List<int[]> ends;
    private final int[] dataVlan;
    private final int[] ackVlan;
    private final double[] window;
    private final int[] nextNumber;
    private final int[] nextAck;
    private final int[] recovery;
    private final long[] lastAckNs;
    private final long[] deliveredBytes;
    private final List<ArrayList<Integer>> acksDue = new ArrayList<>();
    private final List<List<Integer>> flowsOf = new ArrayList<>();
    private final int[] turn;

    /**
     * Prepares flows, all in VLAN 0.
     *
     * @param ends source and destination of each flow, {@code [flows][2]}.
     * @param maxFrames the largest window.
     */
    public WindowedTraffic(
            final List<int[]> ends, final int hosts, final int frameBytes, final int maxFrames) {
        this.ends = List.copyOf(ends);
        this.frameBytes = frameBytes;
        this.maxFrames = maxFrames;
        this.dataVlan = new int[ends.size()];
        this.ackVlan = new int[ends.size()];
        this.window = new double[ends.size()];
        Arrays.fill(window, Math.min(maxFrames, 10));
        this.nextNumber = new int[ends.size()];
        this.nextAck = new int[ends.size()];
        this.recovery = new int[ends.size()];
        this.lastAckNs = new long[ends.size()];
        this.deliveredBytes = new long[ends.size()];
        this.turn = new int[hosts];
        for (int host = 0; host < hosts; host++) {
            flowsOf.add(new ArrayList<>());
        }
        for (int flow = 0; flow < ends.size(); flow++) {
            acksDue.add(new ArrayList<>());
            flowsOf.get(ends.get(flow)[0]).add(flow);
            flowsOf.get(ends.get(flow)[1]).add(flow);
        }
    }

    /** From now on the source sends in this VLAN. */
    public void setDataVlan(final int flow, final int vlan) {
        dataVlan[flow] = vlan;
    }

    /** From now on the destination answers in this VLAN. */
    public void setAckVlan(final int flow, final int vlan) {
        ackVlan[flow] = vlan;
    }

    @Override
    public boolean next(final int host, final long nowNs, final Draft draft) {
        final List<Integer> own = flowsOf.get(host);
        for (final int flow : own) {
            if (ends.get(flow)[1] == host && !acksDue.get(flow).isEmpty()) {
                final int number = acksDue.get(flow).removeFirst();
                draft.set(ends.get(flow)[0], ackVlan[flow], ACK_BYTES, ~tag(flow, number));
                return true;
            }
        }
        for (int i = 0; i < own.size(); i++) {
            final int flow = own.get((turn[host] + i) % own.size());
            if (ends.get(flow)[0] == host && maySend(flow, nowNs)) {
                turn[host] = (turn[host] + i + 1) % own.size();
                draft.set(
                        ends.get(flow)[1],
                        dataVlan[flow],
                        frameBytes,
                        tag(flow, nextNumber[flow]++));
                return true;
            }
        }
        return false;
    }

    private static int tag(final int flow, final int number) {
        return flow << NUMBER_BITS | (number & NUMBER_MASK);
    }

    private boolean maySend(final int flow, final long nowNs) {
        if (nowNs - lastAckNs[flow] > TIMEOUT_NS) {
            // Everything was lost: start again.
            nextAck[flow] = nextNumber[flow];
            window[flow] = 1;
            lastAckNs[flow] = nowNs;
        }
        return nextNumber[flow] - nextAck[flow] < (int) window[flow];
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
        if (tag >= 0) {
            final int flow = tag >> NUMBER_BITS;
            deliveredBytes[flow] += bytes;
            acksDue.get(flow).add(tag & NUMBER_MASK);
        } else {
            onAck(~tag >> NUMBER_BITS, ~tag & NUMBER_MASK, nowNs);
            network.wake(host, nowNs + TIMEOUT_NS + 1);
        }
        network.wake(host, nowNs);
    }

    private void onAck(final int flow, final int low, final long nowNs) {
        final int number = nextAck[flow] + ((low - nextAck[flow]) << 12 >> 12);
        lastAckNs[flow] = nowNs;
        if (number < nextAck[flow]) {
            // It took another path, or was given up.
            return;
        }
        final boolean isLost = number > nextAck[flow];
        nextAck[flow] = number + 1;
        if (isLost && number >= recovery[flow]) {
            window[flow] = Math.max(1, window[flow] / 2);
            recovery[flow] = nextNumber[flow];
        } else if (!isLost) {
            window[flow] = Math.min(maxFrames, window[flow] + 1 / window[flow]);
        }
    }

    /** Bytes of all flows that arrived. */
    public long deliveredBytes() {
        long sum = 0;
        for (final long bytes : deliveredBytes) {
            sum += bytes;
        }
        return sum;
    }
}
