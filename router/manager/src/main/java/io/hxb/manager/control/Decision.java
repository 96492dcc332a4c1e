package io.hxb.manager.control;

import java.util.List;

/**
 * What is to be changed, and why no more than that. Immutable.
 *
 * @param changes pairs that change, in the order of what they bring.
 * @param why in words.
 * @param busiestBps load of the busiest link in this interval, in bytes per second of the fastest.
 * @param busiest that link, in words; empty without traffic.
 * @param expectedBps load of the busiest link that is expected after the changes.
 */
public record Decision(
        List<PathChange> changes,
        String why,
        double busiestBps,
        String busiest,
        double expectedBps) {
    /** Copies the list. */
    public Decision {
        changes = List.copyOf(changes);
    }
}
