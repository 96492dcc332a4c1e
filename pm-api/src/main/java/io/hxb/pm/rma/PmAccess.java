package io.hxb.pm.rma;

/** What a key to a region allows; added up for several. Immutable. */
public final class PmAccess {
    /** Others may read the region by gets. */
    public static final int READ = 1;

    /** Others may write to the region by puts. */
    public static final int WRITE = 2;

    /** Others may add to numbers in the region, and compare and swap them. */
    public static final int ATOMIC = 4;

    /** All of it. */
    public static final int ALL = READ | WRITE | ATOMIC;

    private PmAccess() {}
}
