package io.hxb.node;

/**
 * Decides for how long a loop that has nothing to do leaves the rings of its applications alone
 * while one of them sends or receives short messages one after the other. Owned by that loop.
 *
 * <p>Where an application shares its CPU with the loop, each message that wakes the loop takes the
 * CPU from the application before it can send the next one: the loop finds one message, sends one
 * frame for it, sleeps, and is woken by the next. So when it has been woken often in a short time,
 * a short pause is tried, in which nobody wakes it. Pauses go on as long as each brings many
 * messages. One that brings few ends them, since the application sends and waits, and the next try
 * comes later each time.
 */
final class StreamPause {
    /** A pause: some frames full of short messages, if they are sent without a break. */
    static final long PAUSE_NS = 50_000;

    /** Entries of rings between two pauses, below which there is no stream. */
    static final int FEW_ENTRIES = 48;

    /** Calls of applications that wake the loop within {@link #OFTEN_NS}, after which it tries. */
    private static final int OFTEN = 16;

    private static final long OFTEN_NS = 1_000_000;

    private final PollPauseTrials tries = new PollPauseTrials();
    private boolean isPausing;
    private long wakeUpsBefore;
    private long countedNs;
    private long entriesSeen;
    private boolean hasStarted;

    /**
     * The loop has nothing to do.
     *
     * @param wakeUps how often applications have woken it, since any start.
     * @param entries that it has taken from applications, messages and buffers given back, since
     *     any start.
     * @return how long it should pause, 0 if it should wait for what comes next.
     */
    long pauseNs(final long wakeUps, final long entries, final long nowNs) {
        final long taken = entries - entriesSeen;
        entriesSeen = entries;
        if (isPausing && taken >= FEW_ENTRIES) {
            tries.onSuccess();
        } else if (isPausing) {
            isPausing = false;
            tries.onFailure(nowNs);
            countFrom(wakeUps, nowNs);
        } else if (!hasStarted || nowNs - countedNs > OFTEN_NS) {
            hasStarted = true;
            countFrom(wakeUps, nowNs);
        } else {
            isPausing = tries.isDue(nowNs) && wakeUps - wakeUpsBefore >= OFTEN;
        }
        return isPausing ? PAUSE_NS : 0;
    }

    private void countFrom(final long wakeUps, final long nowNs) {
        wakeUpsBefore = wakeUps;
        countedNs = nowNs;
    }
}
