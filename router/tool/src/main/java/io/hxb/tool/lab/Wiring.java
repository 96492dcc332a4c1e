package io.hxb.tool.lab;

/** What joins the NICs of one line and link in a raw lab. */
public enum Wiring {
    /** A bridge, as a switch does: lines of any length, and ports where faults are injected. */
    BRIDGE,

    /**
     * Nothing: the NICs of two nodes are the ends of one veth pair, as two NICs of real PCs with a
     * cable between them. Only for lines of two nodes.
     */
    DIRECT
}
