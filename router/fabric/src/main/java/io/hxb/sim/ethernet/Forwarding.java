package io.hxb.sim.ethernet;

/** Where switches send frames. Owned by one run. */
public interface Forwarding {
    /**
     * Writes the channels by which a switch sends a frame on.
     *
     * @param input channel by which it came.
     * @param out {@code [channels of a switch]}.
     * @return how many; 0 drops the frame.
     */
    int outputs(int node, int input, int vlan, int source, int destination, int[] out);
}
