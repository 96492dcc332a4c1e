package io.hxb.trunk.discovery;

/**
 * Describes something wrong between this node and another. Immutable.
 *
 * @param kind what is wrong, see {@code MisconfigurationFlyweight}.
 * @param linkIndex link it was noticed on.
 * @param isReported whether another node noticed and reported it.
 * @param text what is wrong, where, and what to do.
 * @param firstNs when it was noticed first.
 * @param lastNs when it was noticed last.
 * @param count how often.
 */
public record MisconfigurationReport(
        int kind,
        int linkIndex,
        boolean isReported,
        String text,
        long firstNs,
        long lastNs,
        long count) {
    MisconfigurationReport again(final long nowNs) {
        return new MisconfigurationReport(
                kind, linkIndex, isReported, text, firstNs, nowNs, count + 1);
    }
}
