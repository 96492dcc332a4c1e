package io.hxb.context;

/** The contexts that one loop of a node serves, as that loop sees them. Called by the loop only. */
public interface ContextPolling extends AutoCloseable {
    /** No deadline. */
    long NEVER = Long.MAX_VALUE;

    /** Contexts that nobody can open, for nodes that only relay. */
    ContextPolling NONE =
            new ContextPolling() {
                @Override
                public int doWork(final long nowNs) {
                    return 0;
                }

                @Override
                public long taken() {
                    return 0;
                }

                @Override
                public long nextDeadlineNs() {
                    return NEVER;
                }

                @Override
                public boolean prepareToSleep() {
                    return true;
                }

                @Override
                public void awake() {}

                @Override
                public int wakeDescriptor() {
                    return -1;
                }

                @Override
                public void clearWake() {}

                @Override
                public void close() {}
            };

    /** Polls the rings of the contexts, bounded; returns the amount of work done. */
    int doWork(long nowNs);

    /** Messages, and buffers given back, that it has taken from applications, since any start. */
    long taken();

    /**
     * The latest time at which {@link #doWork} has to be called; {@link #NEVER} if nothing waits.
     */
    long nextDeadlineNs();

    /** Asks applications to wake the loop; false if there is work already. */
    boolean prepareToSleep();

    /** Applications need not wake the loop any more. */
    void awake();

    /** Descriptor that applications make readable to wake the loop; -1 for none. */
    int wakeDescriptor();

    /** Clears the wake-up. */
    void clearWake();

    /** Closes the contexts; when the loop stops. */
    @Override
    void close();
}
