package io.hxb.pm.idle;

/**
 * All numbers by which threads of nodes and of applications wait, in Java and in C: {@code
 * hxb_layout.h} has them as {@code HXB_IDLE_*}. What each is worth was measured by leaving its part
 * out; {@code benchmarks/log/2026-11.md} has the figures.
 */
public final class IdleParameters {
    /** The longest spin where nothing else is asked for, in ns: what waking an idle CPU takes. */
    public static final long SPIN_NS = 50_000;

    /** A thread that seems to be alone on its CPU spins for this long before it yields, in ns. */
    public static final long UNYIELDING_SPIN_NS = 5_000;

    /** Longest time for which waits sleep immediately, in spins without success. */
    public static final int MAX_REST_SPINS = 100;

    /** A yield that takes longer than this has let another thread run: two switches, in ns. */
    public static final long ALONE_YIELD_NS = 1_200;

    /** A yield that takes longer than this has let a thread run that computes, in ns. */
    public static final long SHARED_YIELD_NS = 50_000;

    /**
     * A thread that may spin without limit, and rests for as long, lacks a CPU of its own, in ns.
     */
    public static final long CROWDED_REST_NS = 32_000_000;

    /** Looks at a ring for an answer before anything else is looked at: a microsecond at most. */
    public static final int CLOSE_LOOKS = 20;

    /** Messages received without one being sent, from which on they come in one direction. */
    public static final int ONE_WAY_MESSAGES = 64;

    /** The shortest time for which a ring is left alone, in pauses of the CPU of 10 to 40 ns. */
    public static final int MIN_RING_PAUSES = 16;

    /** The longest such time, in pauses of the CPU. */
    public static final int MAX_RING_PAUSES = 512;

    /** Pauses of the CPU that a message is worth. */
    public static final int RING_PAUSES_PER_MESSAGE = 16;

    private IdleParameters() {}
}
