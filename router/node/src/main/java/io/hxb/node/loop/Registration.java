package io.hxb.node.loop;

/** A descriptor that a loop waits for. Called by that loop's thread. */
public interface Registration {
    /** For loops without a descriptor to wait for. */
    Registration NONE =
            new Registration() {
                @Override
                public void waitFor(final Interest interest) {}

                @Override
                public void cancel() {}

                @Override
                public boolean hasDescriptor() {
                    return false;
                }
            };

    /** Waits for something else from now on. */
    void waitFor(Interest interest);

    /** Stops waiting; before the descriptor is closed. */
    void cancel();

    /** False for {@link #NONE} only. */
    default boolean hasDescriptor() {
        return true;
    }
}
