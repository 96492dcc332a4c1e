package io.hxb.observe.view;

import java.util.List;
import java.util.Map;

/** Where the page's readings come from. Any thread may call it. */
public interface ReadingSource {
    /**
     * The nodes that can be seen from this machine, in the order of their ids; may block for a read
     * of a file.
     *
     * @param nowMs ms since 1970.
     */
    List<NodeReading> read(long nowMs);

    /**
     * All counters of a node, or of one of its links, by their names for export; empty if there is
     * no such node.
     *
     * @param node its id.
     * @param link index of the link; -1 for the node's own counters.
     */
    Map<String, Long> counters(int node, int link);
}
