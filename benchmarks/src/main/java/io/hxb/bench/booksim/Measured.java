package io.hxb.bench.booksim;

import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one process reported. Immutable.
 *
 * @param latency mean of packets, in cycles.
 * @param accepted flits a cycle and host.
 * @param seconds of the simulation alone.
 * @param wholeSeconds of the process, from its start to its end.
 */
record Measured(double latency, double accepted, double seconds, double wholeSeconds) {
    private static final String NUMBER = "([0-9.]+(?:e[+-]?[0-9]+)?)";
    private static final Pattern LATENCY = Pattern.compile("Packet latency average = " + NUMBER);
    private static final Pattern ACCEPTED =
            Pattern.compile("Accepted flit rate average ?= " + NUMBER);
    private static final Pattern TIME = Pattern.compile("Total run time " + NUMBER);

    /** Reads what BookSim prints; the last sample counts. */
    static Measured ofBookSim(final String output, final double wholeSeconds) {
        return new Measured(
                last(LATENCY, output), last(ACCEPTED, output), last(TIME, output), wholeSeconds);
    }

    /** Reads the object that {@code hxb sim run --json} prints. */
    static Measured ofHxb(final String output, final double wholeSeconds) {
        final Map<?, ?> object = Json.parse(output.strip(), Map.class, "hxb sim run");
        final double cycles = number(object, "cycles");
        return new Measured(
                number((Map<?, ?>) object.get("latency"), "mean"),
                number(object, "accepted"),
                cycles / number(object, "cycles_per_s"),
                wholeSeconds);
    }

    private static double number(final Map<?, ?> object, final String key) {
        return ((Number) object.get(key)).doubleValue();
    }

    private static double last(final Pattern pattern, final String output) {
        final Matcher matcher = pattern.matcher(output);
        String found = null;
        while (matcher.find()) {
            found = matcher.group(1);
        }
        if (found == null) {
            throw new ToolException(
                    "BookSim printed no '" + pattern + "'; its output was:\n" + output.strip());
        }
        return Double.parseDouble(found);
    }
}
