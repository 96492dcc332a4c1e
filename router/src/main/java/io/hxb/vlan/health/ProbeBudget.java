package io.hxb.vlan.health;

/**
 * How many probes may be sent: so many a second, half as many at once. What can wait leaves half of
 * that for questions and answers. Owned by one thread.
 */
final class ProbeBudget {
    private static final long SECOND_NS = 1_000_000_000L;

    private final long framesPerSecond;
    private final long depthNs;
    private long usedUntilNs;
    private long nowNs;

    ProbeBudget(final int framesPerSecond, final long nowNs) {
        this.framesPerSecond = framesPerSecond;
        depthNs = SECOND_NS / 2;
        this.nowNs = nowNs;
        usedUntilNs = nowNs - depthNs;
    }

    void onTime(final long now) {
        nowNs = now;
        if (usedUntilNs - (now - depthNs) < 0) {
            usedUntilNs = now - depthNs;
        }
    }

    /** True if there is one frame. */
    boolean isLeft() {
        return usedUntilNs - nowNs <= 0;
    }

    /** Takes one frame, if there is one. */
    boolean take() {
        if (!isLeft()) {
            return false;
        }
        usedUntilNs += SECOND_NS / framesPerSecond;
        return true;
    }

    /** True if what can wait need not. */
    boolean isEasy() {
        return usedUntilNs - (nowNs - depthNs / 2) <= 0;
    }
}
