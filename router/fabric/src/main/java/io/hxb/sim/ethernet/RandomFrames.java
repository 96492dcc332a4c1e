package io.hxb.sim.ethernet;

import io.hxb.sim.flit.TrafficSource;

import org.HdrHistogram.Histogram;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Hosts that send the frames of a traffic source, whose cycles are byte times of a host's link.
 * Owned by one run.
 */
public final class RandomFrames implements SimulatedApplication {
    private final TrafficSource traffic;
    private final double nsPerByte;
    private final List<ArrayDeque<Waiting>> queues = new ArrayList<>();
    private final List<Waiting> onTheWay = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final Histogram latencyNs = new Histogram(1L << 40, 3);
    private long deliveredBytes;
    private long offeredBytes;

    private record Waiting(int destination, int bytes, long atNs) {}

    /** Sends the frames of {@code traffic}, whose flits are bytes. */
    public RandomFrames(final TrafficSource traffic, final int hosts, final double nsPerByte) {
        this.traffic = traffic;
        this.nsPerByte = nsPerByte;
        for (int host = 0; host < hosts; host++) {
            queues.add(new ArrayDeque<>());
        }
    }

    /** Runs a network up to a time, making frames on the way. */
    public void run(final EthernetNetwork network, final long endNs) {
        while (true) {
            final long cycle = traffic.next();
            final double nextNs = cycle == TrafficSource.NEVER ? endNs : cycle * nsPerByte;
            if (nextNs >= endNs) {
                network.runUntil(endNs);
                return;
            }
            network.runUntil((long) nextNs);
            traffic.emit(
                    cycle,
                    (source, destination, bytes) -> {
                        offeredBytes += bytes;
                        queues.get(source).add(new Waiting(destination, bytes, (long) nextNs));
                        network.wake(source, (long) nextNs);
                        return true;
                    });
        }
    }

    @Override
    public boolean next(final int host, final long nowNs, final Draft draft) {
        final Waiting frame = queues.get(host).poll();
        if (frame == null) {
            return false;
        }
        final int tag = free.isEmpty() ? onTheWay.size() : free.pop();
        if (tag == onTheWay.size()) {
            onTheWay.add(frame);
        } else {
            onTheWay.set(tag, frame);
        }
        draft.set(frame.destination, 0, frame.bytes, tag);
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
        latencyNs.recordValue(nowNs - onTheWay.get(tag).atNs);
        deliveredBytes += bytes;
        free.push(tag);
    }

    /** Latency from the source's queue to the destination, ns. */
    public Histogram latencyNs() {
        return latencyNs;
    }

    /** Bytes that reached their host. */
    public long deliveredBytes() {
        return deliveredBytes;
    }

    /** Bytes that hosts wanted to send. */
    public long offeredBytes() {
        return offeredBytes;
    }
}
