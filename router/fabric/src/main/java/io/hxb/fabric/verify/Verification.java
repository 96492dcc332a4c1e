package io.hxb.fabric.verify;

/**
 * What the check of routes found.
 *
 * @param isConnected whether every pair has a path that ends where it should.
 * @param isAcyclic whether the (extended) channel dependency graph has no cycle.
 * @param isLegal whether paths make only permitted turns.
 * @param problem describes the first violation, null when there is none.
 */
public record Verification(
        boolean isConnected, boolean isAcyclic, boolean isLegal, String problem) {
    /** Whether nothing is wrong. */
    public boolean isOk() {
        return isConnected && isAcyclic && isLegal;
    }
}
