package io.hxb.vlan.health;

import io.hxb.time.TokenBucket;

/**
 * How many probes may be sent: so many a second, half as many at once. What can wait leaves half of
 * that for requests and replies. Owned by one thread.
 */
final class ProbeBudget {
    private static final long SECOND_NS = 1_000_000_000L;

    private final TokenBucket frames;
    private final int reserve;
    private long nowNs;

    ProbeBudget(final int framesPerSecond, final long nowNs) {
        final int burst = Math.max(1, framesPerSecond / 2);
        frames = new TokenBucket(burst, SECOND_NS / framesPerSecond);
        reserve = Math.max(1, burst / 2);
        this.nowNs = nowNs;
    }

    void onTime(final long now) {
        nowNs = now;
    }

    /** True if there is one frame. */
    boolean isLeft() {
        return frames.has(nowNs, 1);
    }

    /** Takes one frame, if there is one. */
    boolean take() {
        return frames.take(nowNs);
    }

    /** True if what can wait need not. */
    boolean isEasy() {
        return frames.has(nowNs, reserve);
    }
}
