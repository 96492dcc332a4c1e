package io.hxb.node;

import io.hxb.link.LoopClock;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.ReadinessListener;
import io.hxb.node.loop.Registration;

/** A loop in virtual time: the test takes its turns, and nothing ever has to wake it. */
final class SimLoop implements Loop {
    private final LoopClock clock = new LoopClock();
    private int turns;

    /** How late it was so far, as a test wants it. */
    long longTurns, overrunNs, lateWakeUps, lateNs;

    /** Begins a turn, in which all links are asked for frames. */
    void turn(final long nowNs) {
        clock.begin(nowNs);
        turns++;
    }

    @Override
    public LoopClock clock() {
        return clock;
    }

    @Override
    public boolean isOwnThread() {
        return true;
    }

    @Override
    public void wakeUp() {}

    @Override
    public Registration register(
            final int descriptor, final Interest interest, final ReadinessListener listener) {
        throw new UnsupportedOperationException("simulated links have no descriptors");
    }

    @Override
    public long waitedNs() {
        return 0;
    }

    @Override
    public int polls() {
        return turns;
    }

    @Override
    public boolean isSpinning() {
        return false;
    }

    @Override
    public long yields() {
        return 0;
    }

    @Override
    public long longTurns() {
        return longTurns;
    }

    @Override
    public long overrunNs() {
        return overrunNs;
    }

    @Override
    public long turns(final int bucket) {
        return 0;
    }

    @Override
    public long turnNs() {
        return 0;
    }

    @Override
    public long wakeUps(final int bucket) {
        return 0;
    }

    @Override
    public long wakeUpDelayNs() {
        return 0;
    }

    @Override
    public long lateWakeUps() {
        return lateWakeUps;
    }

    @Override
    public long lateNs() {
        return lateNs;
    }

    @Override
    public boolean isCrowded() {
        return false;
    }
}
