package io.hxb.manager.control;

import java.util.concurrent.TimeUnit;

/**
 * How a network is controlled. Immutable.
 *
 * @param owner distinguishes management servers; not 0.
 * @param leaseMs for how long managers give their lease, and keep what was set after this server
 *     has vanished; 1,000 to 600,000.
 * @param isDry whether it only reports what it would change.
 * @param terms of changes.
 */
public record ControlSettings(long owner, int leaseMs, boolean isDry, TuningTerms terms) {
    private static final int MIN_LEASE_MS = 1_000;
    private static final int MAX_LEASE_MS = 600_000;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of range.
     */
    public ControlSettings {
        if (owner == 0) {
            throw new IllegalArgumentException("0 is nobody");
        }
        if (leaseMs < MIN_LEASE_MS || leaseMs > MAX_LEASE_MS) {
            throw new IllegalArgumentException("a lease is for 1 s to 600 s: " + leaseMs + " ms");
        }
    }

    long leaseNs() {
        return TimeUnit.MILLISECONDS.toNanos(leaseMs);
    }
}
