package io.hxb.tool.lab;

import io.hxb.topology.Shape;

import java.nio.file.Path;
import java.util.List;

/** Messages about a lab that was started, or should have been. Stateless. */
public final class LabAdvice {
    private LabAdvice() {}

    /**
     * Commands to try next, which work on the lab as they are printed.
     *
     * @param program how this program was called, see {@link #program()}.
     */
    public static List<String> commands(final LabState state, final String program) {
        final LabSpec spec = state.spec();
        final String name = spec.name().equals("lab") ? "" : " --name " + spec.name();
        if (state.hasSwitches()) {
            final String lab = spec.name().equals("lab") ? "" : " --name " + spec.name();
            return List.of(
                    program + " lab ping" + name + " 0,1",
                    program + " lab perf" + name + " 0,1",
                    program + " lab exec" + name + " 1 -- " + program + " route show",
                    program + " route show --traffic --manager 0" + lab,
                    program + " lab down" + name);
        }
        final String first = spec.shape().format(spec.shape().coordinates(0));
        final String second = spec.shape().format(spec.shape().coordinates(1));
        return List.of(
                program + " ping" + name + " " + second,
                program + " stat" + name,
                program + " lab exec" + name + " " + first + " -- ip link",
                program + " lab down" + name);
    }

    /**
     * A command that reaches another node by the virtual NIC of the first.
     *
     * @param address of the other node.
     */
    public static String ping(final LabSpec spec, final String program, final String address) {
        return program
                + " lab exec"
                + (spec.name().equals("lab") ? "" : " --name " + spec.name())
                + " "
                + spec.shape().format(spec.shape().coordinates(0))
                + " -- ping -c 3 "
                + address;
    }

    /** How this program was called: the launcher's path as short as it can be, otherwise hxb. */
    public static String program() {
        final String launcher = System.getProperty("hxb.launcher", "");
        if (launcher.isEmpty()) {
            return "hxb";
        }
        final Path here = Path.of("").toAbsolutePath();
        final Path path = Path.of(launcher);
        return path.startsWith(here) ? here.relativize(path).toString() : launcher;
    }

    /**
     * Why a lab was given up.
     *
     * @param seconds how long it had.
     * @param ready nodes that could be attached to.
     * @param log what its owner has written.
     */
    public static String notReady(
            final LabSpec spec, final long seconds, final int ready, final String log) {
        return "the lab '"
                + spec.name()
                + "' was not ready after "
                + seconds
                + " s and was removed: "
                + ready
                + " of "
                + spec.shape().nodeCount()
                + " nodes could be attached to; "
                + written(log)
                + "; "
                + smaller(spec.shape());
    }

    /** What to do about a lab that is too slow for this machine. */
    static String smaller(final Shape shape) {
        return "try "
                + (shape.isAnyCabling()
                        ? "a --graph of fewer nodes"
                        : "a smaller --shape or fewer --links")
                + ", or stop what else keeps this machine busy";
    }

    /**
     * Why a lab's owner ended.
     *
     * @param status its exit status.
     * @param log what it has written.
     */
    public static String ended(final int status, final String log) {
        return log.isBlank()
                ? "the lab did not start: its process ended with status "
                        + status
                        + " and wrote nothing; dmesg shows whether it was killed for want of memory"
                : "the lab did not start: " + log.strip();
    }

    private static String written(final String log) {
        return log.isBlank() ? "nothing was logged" : "its log: " + log.strip();
    }
}
