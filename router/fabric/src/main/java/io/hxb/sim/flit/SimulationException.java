package io.hxb.sim.flit;

import java.io.Serial;

/** A run that cannot be made as asked: the message states the problem and what to do. Immutable. */
public final class SimulationException extends IllegalArgumentException {
    @Serial private static final long serialVersionUID = 1L;

    /** Makes one with a complete sentence for the user. */
    public SimulationException(final String message) {
        super(message);
    }
}
