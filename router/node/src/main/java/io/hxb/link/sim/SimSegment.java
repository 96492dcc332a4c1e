package io.hxb.link.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * One switch: the simulated links plugged into it hear each other. Owned by the thread that runs
 * the simulation.
 */
public final class SimSegment {
    private final List<SimLink> links = new ArrayList<>();
    private SimFaults faults;

    SimSegment(final SimFaults faults) {
        this.faults = faults;
    }

    /** The links plugged in, in the order of plugging. */
    public List<SimLink> links() {
        return links;
    }

    /** The faults of all directions that have none of their own. */
    public SimFaults faults() {
        return faults;
    }

    /** Sets the faults of all directions that have none of their own. */
    public void faults(final SimFaults newFaults) {
        faults = newFaults;
    }

    /** Lets every link learn all others, as hello frames would. */
    public void introduce() {
        for (final SimLink link : links) {
            for (final SimLink other : links) {
                if (link != other) {
                    link.learn(other.coordinate(), other.localAddress());
                }
            }
        }
    }
}
