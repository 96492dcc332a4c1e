package io.hxb.tool.chaos.script;

import io.hxb.config.Quantity;
import io.hxb.topology.Shape;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds faults that contradict each other: a cable or node has at most one at a time, and only what
 * is broken can be repaired. Used by one thread.
 */
final class ScriptCheck {
    private final Shape shape;
    private final Map<Object, Fault> broken = new HashMap<>();

    ScriptCheck(final Shape shape) {
        this.shape = shape;
    }

    /**
     * Goes through a script.
     *
     * @param problem takes a message and its line.
     */
    void check(final FaultScript script, final ProblemSink problem) {
        broken.clear();
        for (final Fault fault : script.faults()) {
            for (final Cable cable : fault.cables()) {
                check(fault, cable, cable.format(shape), problem);
            }
            for (final int node : fault.nodes()) {
                final String name = "(" + shape.format(shape.coordinates(node)) + ")";
                check(fault, node, name, problem);
            }
        }
    }

    /** Takes what is wrong. */
    interface ProblemSink {
        /** A message and the line it is about. */
        void add(int line, String text);
    }

    private void check(
            final Fault fault, final Object target, final String name, final ProblemSink problem) {
        final Fault before = broken.get(target);
        final String time = Quantity.formatDuration(fault.atNs());
        if (fault.action().isRepair()) {
            if (before == null) {
                problem.add(
                        fault.line(),
                        fault.action().word()
                                + " "
                                + name
                                + ": nothing is wrong with it at "
                                + time);
            } else if (before.action().repair() != fault.action()) {
                problem.add(
                        fault.line(),
                        fault.action().word()
                                + " "
                                + name
                                + ": "
                                + before.action().word()
                                + " is ended by "
                                + before.action().repair().word());
            }
            broken.remove(target);
        } else if (before == null) {
            broken.put(target, fault);
        } else {
            problem.add(
                    fault.line(),
                    fault.action().word()
                            + " "
                            + name
                            + ": it has another fault at "
                            + time
                            + ", "
                            + before.action().word()
                            + " of line "
                            + before.line()
                            + "; "
                            + before.action().repair().word()
                            + " it before");
        }
    }
}
