package io.hxb.tool.sim;

import io.hxb.tool.report.UsageException;

import java.util.ArrayList;
import java.util.List;

/** Loads as text: {@code 0.01,0.02} or {@code 0.01:0.1:0.01}. Stateless. */
final class OfferedLoads {
    private static final int MAX_STEPS = 1000;

    private OfferedLoads() {}

    /** Reads a list or a range from, to and step; {@code auto} is an empty list. */
    static List<Double> parse(final String words) {
        final List<Double> loads = new ArrayList<>();
        if (words.equals("auto")) {
            return loads;
        }
        if (!words.contains(":")) {
            for (final String word : words.split(",", -1)) {
                loads.add(parseOne("--loads", word));
            }
            return loads;
        }
        final String[] parts = words.split(":", -1);
        if (parts.length != 3) {
            throw new UsageException(
                    "--loads is from:to:step, a list or auto, not '" + words + "'");
        }
        final double from = parseOne("--loads", parts[0]);
        final double to = parseOne("--loads", parts[1]);
        final double step = parseOne("--loads", parts[2]);
        if (to < from) {
            throw new UsageException(
                    "--loads go up, from:to:step, and "
                            + words
                            + " goes down; write "
                            + parts[1]
                            + ":"
                            + parts[0]
                            + ":"
                            + parts[2]);
        }
        if (step <= 0 || (to - from) / step > MAX_STEPS) {
            throw new UsageException("--loads must have a step above 0 and at most 1000 loads");
        }
        for (int i = 0; from + i * step <= to + 1e-9; i++) {
            loads.add(from + i * step);
        }
        return loads;
    }

    /** Reads one load, 0..1 flits a cycle and host. */
    static double parseOne(final String where, final String word) {
        try {
            final double load = Double.parseDouble(word);
            if (load >= 0 && load <= 1) {
                return load;
            }
        } catch (final NumberFormatException e) {
            // The message below also fits numbers out of range.
        }
        throw new UsageException(
                where + " must be 0..1 flits a cycle and host, not '" + word + "'");
    }
}
