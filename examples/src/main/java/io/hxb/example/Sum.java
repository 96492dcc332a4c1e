package io.hxb.example;

import io.hxb.pm.PmDevice;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.PmElement;
import io.hxb.pm.collective.PmFunction;
import io.hxb.pm.collective.PmGroup;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A sum over two programs, {@code Sum ID} on nodes 0 and 1. */
public final class Sum {
    private static final long SECOND_NS = 1_000_000_000L;
    private static int turns;

    private Sum() {}

    /** Runs it; the exit status is 0 when the sum is there. */
    public static void main(final String[] args) throws IOException {
        final long id = Long.parseLong(args[0]);
        try (PmDevice device = PmDevice.attach()) {
            final int rank = device.nodeId();
            // begin
            final int[] nodes = {0, 1}; // of the members, by rank; the same at all
            final double[] values = {rank + 1.5};
            try (PmGroup group = PmGroup.join(device, 7, id, nodes, rank, 20 * SECOND_NS)) {
                final MemorySegment data = MemorySegment.ofArray(values);
                int status = group.allreduce(PmFunction.SUM, PmElement.DOUBLE, data, SECOND_NS);
                if (status == PmStatus.OK) {
                    status = group.startBarrier(); // or without waiting
                }
                while (status == PmStatus.OK && group.test() == PmStatus.EMPTY) {
                    compute();
                }
                System.out.println("the sum is " + values[0] + ", " + PmStatus.name(status));
            }
            // end
        }
    }

    private static void compute() {
        turns++;
    }
}
