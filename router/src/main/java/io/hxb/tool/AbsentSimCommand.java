package io.hxb.tool;

import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

import java.util.List;

/**
 * {@code hxb sim} where the module with the simulator is not on the class path: the launcher puts
 * it there when sim is the first word. Picocli runs it.
 */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        header = "Simulates networks of switches before you buy them.",
        description =
                "The simulator is a module of its own, which deploy/hxb builds when it is first"
                        + " used: 'hxb sim --help' lists its commands.")
final class AbsentSimCommand implements Runnable {
    @SuppressWarnings("unused")
    @Unmatched
    private List<String> words;

    /** Has no state. */
    AbsentSimCommand() {}

    @Override
    public void run() {
        throw new ToolException(
                "the simulator is not on the class path: start it by 'deploy/hxb sim', which builds"
                        + " the module that it is in");
    }
}
