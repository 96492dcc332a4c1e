package io.hxb.tool.graph;

import java.util.Locale;

/** Loads as text and as colours: from blue for none over green and yellow to red. Stateless. */
final class LinkLoads {
    private LinkLoads() {}

    static double max(final double[] loads) {
        double max = 0;
        for (final double load : loads) {
            max = Math.max(max, load);
        }
        return max;
    }

    static String text(final double load) {
        return load == Math.rint(load) && load < 1e9
                ? Long.toString((long) load)
                : String.format(Locale.ROOT, "%.2f", load);
    }

    static String colour(final double load, final double max) {
        final double share = max == 0 ? 0 : load / max;
        final int hue = (int) Math.round(220 * (1 - share));
        return rgb(hue, 0.85, 0.8);
    }

    /** Graphviz and SVG both know {@code #rrggbb}. */
    private static String rgb(final int hue, final double saturation, final double value) {
        final int[] parts = new int[3];
        for (int i = 0; i < 3; i++) {
            final double k = (new int[] {5, 3, 1}[i] + hue / 60.0) % 6;
            final double part =
                    value - value * saturation * Math.max(0, Math.min(Math.min(k, 4 - k), 1));
            parts[i] = (int) Math.round(255 * part);
        }
        return String.format("#%02x%02x%02x", parts[0], parts[1], parts[2]);
    }
}
