package io.hxb.counter;

import java.util.Map;

/**
 * What Prometheus calls a counter: its base units are seconds, bytes and ratios, and a count ends
 * with {@code _total}. Immutable.
 *
 * @param base without the ending of counts.
 * @param kind whether it only grows.
 * @param divisor values of the counter are divided by it.
 */
public record MetricName(String base, CounterKind kind, double divisor) {
    private static final Map<String, Unit> BASE_UNITS =
            Map.of("ns", new Unit("seconds", 1e9), "percent", new Unit("ratio", 100));

    private record Unit(String name, double divisor) {}

    /**
     * The rule.
     *
     * @param exportName of the counter.
     * @param unit its last word.
     */
    public static MetricName of(
            final String exportName, final String unit, final CounterKind kind) {
        final Unit base = BASE_UNITS.get(unit);
        return base == null || !exportName.endsWith("_" + unit)
                ? new MetricName(exportName, kind, 1)
                : new MetricName(
                        exportName.substring(0, exportName.length() - unit.length()) + base.name(),
                        kind,
                        base.divisor());
    }

    /** The whole name. */
    public String name() {
        return kind == CounterKind.COUNT ? base + "_total" : base;
    }

    /** A value of the counter in the unit of the metric. */
    public double value(final long counted) {
        return counted / divisor;
    }
}
