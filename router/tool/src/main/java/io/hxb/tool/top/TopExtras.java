package io.hxb.tool.top;

import java.util.List;
import java.util.Map;

/**
 * What the screen shows besides the samples. Immutable.
 *
 * @param glyphs what the terminal can show.
 * @param rates the last rates in MB/s by the keys of nodes and links, the newest last.
 * @param details by the key of a node.
 * @param trace lines of the trace that was asked for.
 */
record TopExtras(
        Glyphs glyphs,
        Map<String, List<Double>> rates,
        Map<String, NodeDetail> details,
        List<String> trace) {
    static final TopExtras NONE = new TopExtras(Glyphs.ASCII, Map.of(), Map.of(), List.of());

    /** Copies the collections. */
    TopExtras {
        rates = Map.copyOf(rates);
        details = Map.copyOf(details);
        trace = List.copyOf(trace);
    }
}
