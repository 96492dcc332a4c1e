package io.hxb.trunk;

/**
 * The state of a link to a neighbour. Each of the two nodes has an opinion of its own, with the
 * same three values; the link is {@link #GOOD} while both opinions are, and a node notifies the
 * other when its own is not.
 *
 * <pre>
 *                 a hello                  silent, lossy, no carrier, send errors,
 *                 arrives                  unanswered, hellos missed
 *   +---------+              +---------+                            +----------+
 *   | UNKNOWN | -----------&gt; |  GOOD   | -------------------------&gt; |  FAILED  |
 *   +---------+              +---------+                            +----------+
 *     |     ^                     ^      enough heartbeats in a row,    |    ^
 *     |     |                     |      hold-down over, carrier        |    |
 *     |     |                     +-------------------------------------+    |
 *     |     +--- from any: the neighbour is a new incarnation                |
 *     +----------------------------------------------------------------------+
 *                 known by other links and not heard here for too long
 * </pre>
 *
 * <p>A link that is good in this node's opinion is FAILED while the neighbour reports that it does
 * not hear this node there.
 */
public enum LinkState {
    /** The neighbour has not been heard there yet. */
    UNKNOWN,

    /** Frames pass in both directions: the link is used. */
    GOOD,

    /** Frames do not pass, or too few: the link is left out until heartbeats pass again. */
    FAILED
}
