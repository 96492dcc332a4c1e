package io.hxb.sim.traffic;

import io.hxb.fabric.traffic.TrafficMatrix;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Destinations drawn by the amounts of a matrix. Immutable. */
final class MatrixDestinations implements Destinations {
    private final int[] starts;
    private final int[] destinations;
    private final double[] sums;
    private final double[] totals;
    private final double most;

    MatrixDestinations(final TrafficMatrix matrix, final int hosts) {
        starts = new int[hosts + 1];
        destinations = new int[matrix.size()];
        sums = new double[matrix.size()];
        totals = new double[hosts];
        for (int pair = 0; pair < matrix.size(); pair++) {
            starts[matrix.source(pair) + 1]++;
        }
        for (int host = 0; host < hosts; host++) {
            starts[host + 1] += starts[host];
        }
        final int[] next = Arrays.copyOf(starts, hosts);
        for (int pair = 0; pair < matrix.size(); pair++) {
            final int source = matrix.source(pair);
            final int at = next[source]++;
            totals[source] += matrix.amount(pair);
            destinations[at] = matrix.destination(pair);
            sums[at] = totals[source];
        }
        most = Arrays.stream(totals).max().orElse(1);
    }

    @Override
    public int next(final int source, final SplittableRandom random) {
        final int start = starts[source];
        final int end = starts[source + 1];
        if (end - start <= 1) {
            return end == start ? NOWHERE : destinations[start];
        }
        final double drawn = random.nextDouble() * totals[source];
        int low = start;
        int high = end - 1;
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (sums[middle] <= drawn) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return destinations[low];
    }

    @Override
    public double share(final int source) {
        return totals[source] / most;
    }
}
