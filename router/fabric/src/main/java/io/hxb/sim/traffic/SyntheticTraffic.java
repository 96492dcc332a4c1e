package io.hxb.sim.traffic;

import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.flit.TrafficSource;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Hosts that send messages at random times: Poisson, or in bursts at full speed with pauses between
 * them. Owned by one run.
 */
final class SyntheticTraffic implements TrafficSource {
    private static final int HOST_BITS = 20;

    private final Destinations destinations;
    private final MessageSizes sizes;
    private final boolean isCut;
    private final double meanBurst;
    private final long stepCycles;
    private final double[] meanGap;
    private final double[] times;
    private final int[] burstLeft;
    private final SplittableRandom random;
    private final long[] heap;
    private int heapSize;

    /**
     * Makes traffic.
     *
     * @param load flits per cycle that a host sends, 0 to 1; hosts with a smaller share send less.
     * @param meanBurst mean messages in a burst, 0 for Poisson.
     * @param stepCycles hosts wait with their messages for a multiple of this number of cycles; 0
     *     at once.
     */
    SyntheticTraffic(
            final Destinations destinations,
            final MessageSizes sizes,
            final int hosts,
            final double load,
            final double meanBurst,
            final long stepCycles,
            final long seed) {
        if (!(load >= 0 && load <= 1)) {
            throw new SimulationException("the load must be 0..1 flits a cycle and host: " + load);
        }
        if (hosts < 2 || hosts >= 1 << HOST_BITS) {
            throw new SimulationException(
                    "traffic needs 2 to 1048575 hosts, and there are "
                            + hosts
                            + "; give more with --hosts");
        }
        this.destinations = destinations;
        this.sizes = sizes;
        this.isCut = sizes.areCut();
        this.meanBurst = meanBurst;
        this.stepCycles = stepCycles;
        this.random = new SplittableRandom(seed);
        this.times = new double[hosts];
        this.burstLeft = new int[hosts];
        this.meanGap = new double[hosts];
        this.heap = new long[hosts];
        for (int host = 0; host < hosts; host++) {
            final double own = load * destinations.share(host);
            final double perMessage = own == 0 ? 0 : sizes.mean() / own;
            meanGap[host] =
                    meanBurst == 0
                            ? perMessage
                            : meanBurst * Math.max(0, perMessage - sizes.mean());
            if (own > 0) {
                times[host] = meanGap[host] * exponential();
                heap[heapSize++] = key(host);
            }
        }
        Arrays.sort(heap, 0, heapSize);
    }

    private double exponential() {
        return -Math.log(1 - random.nextDouble());
    }

    private long key(final int host) {
        final double most = 1L << 42;
        final double time =
                stepCycles == 0 ? times[host] : Math.ceil(times[host] / stepCycles) * stepCycles;
        return (long) Math.min(most, time) << HOST_BITS | host;
    }

    @Override
    public long next() {
        return heapSize == 0 ? NEVER : heap[0] >>> HOST_BITS;
    }

    @Override
    public void emit(final long now, final Sink sink) {
        while (heapSize > 0 && heap[0] >>> HOST_BITS <= now) {
            final int host = (int) heap[0] & ((1 << HOST_BITS) - 1);
            final int flits = sizes.next(random);
            send(host, flits, sink);
            times[host] += gap(host, flits);
            heap[0] = key(host);
            sink();
        }
    }

    private double gap(final int host, final int flits) {
        if (meanBurst == 0) {
            return meanGap[host] * exponential();
        }
        if (burstLeft[host] == 0) {
            // Geometric with the mean asked for: at least one message.
            burstLeft[host] =
                    1 + (int) (exponential() / -Math.log(1 - 1 / Math.max(1.0001, meanBurst)));
        }
        return --burstLeft[host] > 0 ? flits : flits + meanGap[host] * exponential();
    }

    private void send(final int host, final int flits, final Sink sink) {
        final int to = destinations.next(host, random);
        if (to == Destinations.NOWHERE) {
            return;
        }
        if (isCut) {
            sink.beginMessage(sizes.packets(flits));
        }
        for (int left = flits; left > 0; left -= sizes.packetFlits()) {
            sink.offer(host, to, Math.min(left, sizes.packetFlits()));
        }
    }

    /** Restores the heap's order after its first key has grown. */
    private void sink() {
        final long key = heap[0];
        int at = 0;
        while (2 * at + 1 < heapSize) {
            int child = 2 * at + 1;
            child += child + 1 < heapSize && heap[child + 1] < heap[child] ? 1 : 0;
            if (heap[child] >= key) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = key;
    }

    @Override
    public int shortestFlits() {
        return sizes.shortest();
    }

    @Override
    public int maxFlits() {
        return sizes.longest();
    }
}
