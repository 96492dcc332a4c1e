package io.hxb.pm.idle;

import io.hxb.linux.SwitchCount;

/** Asks the kernel about the calling thread. */
final class LinuxRunQueue implements OwnCpu.RunQueue {
    private final SwitchCount count = new SwitchCount();

    // Not just a hint: the kernel puts the thread behind others that wait for this CPU.
    @SuppressWarnings("ThreadPriorityCheck")
    @Override
    public void yieldOnce() {
        Thread.yield();
    }

    @Override
    public long switches() {
        return count.involuntary();
    }
}
