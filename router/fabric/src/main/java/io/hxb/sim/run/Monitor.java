package io.hxb.sim.run;

/** Watches runs and may stop them. Called by the threads that run them. */
public interface Monitor {
    /** Watches nothing and never stops. */
    Monitor NONE = (done, total) -> true;

    /**
     * Some cycles of a run are done.
     *
     * @param done cycles since the last call.
     * @param total cycles of the run.
     * @return whether to go on; a run that does not keeps what it has measured.
     */
    boolean onProgress(long done, long total);

    /**
     * A group of runs starts.
     *
     * @param what what they are, in a few words.
     * @param runs how many.
     */
    default void begin(final String what, final long runs) {}

    /** Whether nothing has asked the runs to stop. */
    default boolean isGoingOn() {
        return onProgress(0, 1);
    }
}
