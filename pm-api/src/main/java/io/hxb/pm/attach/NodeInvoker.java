package io.hxb.pm.attach;

/** Runs an embedded node's loop on the application's thread; see {@code PmDevice.isInvoker}. */
@FunctionalInterface
public interface NodeInvoker {
    /**
     * Runs the loop once.
     *
     * @param maxWaitNs longest time in ns that the loop may block when it has nothing to do; 0 to
     *     return at once.
     * @return how much work was done, 0 when idle.
     */
    int run(long maxWaitNs);
}
