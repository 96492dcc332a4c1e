package io.hxb.trunk.discovery;

/**
 * Neighbours that should be heard and are not. Immutable.
 *
 * @param isPartial true if other links of the trunk hear them, so that they run: one cable is
 *     wrong.
 * @param text which, where, and what to do.
 */
public record MissingNeighbours(boolean isPartial, String text) {}
