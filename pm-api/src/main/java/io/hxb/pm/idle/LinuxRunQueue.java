package io.hxb.pm.idle;

/** Asks the kernel's scheduler, about the calling thread. */
final class LinuxRunQueue implements IdlePolicy.RunQueue {
    // Not just a hint: the kernel puts the thread after others that wait for this CPU.
    @SuppressWarnings("ThreadPriorityCheck")
    @Override
    public long yieldOnce() {
        final long startNs = System.nanoTime();
        Thread.yield();
        return System.nanoTime() - startNs;
    }
}
