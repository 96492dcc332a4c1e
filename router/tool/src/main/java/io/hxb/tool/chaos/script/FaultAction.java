package io.hxb.tool.chaos.script;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The faults of cables and nodes, and their repairs. Immutable. */
public enum FaultAction {
    /** No frame passes the cable; both ends keep their carrier. */
    PULL(true, "for"),
    /** The switch's port goes down: the NIC loses its carrier. */
    UNPLUG(true, "for"),
    /** The NIC is set down by its own machine. */
    DOWN(true, "for"),
    /** The cable carries less, in both directions. */
    SLOW(true, "rate for"),
    /** A share of the frames is dropped or damaged, in both directions. */
    DAMAGE(true, "drop corrupt for"),
    /** Frames pass in one direction only. */
    ONE_WAY(true, "passes for"),
    /** Pulled and restored in turns. */
    FLAP(true, "period for"),
    /** Ends any of these. */
    RESTORE(true, ""),
    /** The node's process is killed. */
    KILL(false, "for"),
    /** A killed node is started again. */
    RESTART(false, ""),
    /** The node's process is suspended. */
    PAUSE(false, "for"),
    /** A paused node continues. */
    RESUME(false, "");

    private final boolean isOfCables;

    /** Keys that may accompany it, separated by spaces. */
    private final String options;

    FaultAction(final boolean isOfCables, final String options) {
        this.isOfCables = isOfCables;
        this.options = options;
    }

    /** As in scripts: lower case, words joined by a dash. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** True if its target is cables, false if it is nodes. */
    public boolean isOfCables() {
        return isOfCables;
    }

    /** True if it ends what others began. */
    public boolean isRepair() {
        return this == RESTORE || this == RESTART || this == RESUME;
    }

    /** What ends it. */
    public FaultAction repair() {
        if (isOfCables) {
            return RESTORE;
        }
        return this == KILL || this == RESTART ? RESTART : RESUME;
    }

    /** Keys that may accompany it in a script. */
    public Set<String> options() {
        return Set.of(options.split(" ", -1));
    }

    /**
     * Reads a word; {@code up} is another one for restore.
     *
     * @return null if there is no such action.
     */
    public static FaultAction of(final String word) {
        if (word.equals("up")) {
            return RESTORE;
        }
        for (final FaultAction action : values()) {
            if (action.word().equals(word)) {
                return action;
            }
        }
        return null;
    }

    /** All words, for messages. */
    public static String words() {
        final List<FaultAction> all = Arrays.asList(values());
        return all.stream().map(FaultAction::word).collect(Collectors.joining(", "));
    }
}
