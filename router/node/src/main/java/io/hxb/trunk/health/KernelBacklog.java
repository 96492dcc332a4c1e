package io.hxb.trunk.health;

/** Whether frames that have arrived may wait in the kernel. Called under the lock of its user. */
@FunctionalInterface
public interface KernelBacklog {
    /** Nothing is known to wait. */
    KernelBacklog NONE = nowNs -> false;

    /**
     * True if frames that arrived before may not have come to their sockets yet. May make system
     * calls; asked only when a link seems silent.
     */
    boolean isWaiting(long nowNs);
}
