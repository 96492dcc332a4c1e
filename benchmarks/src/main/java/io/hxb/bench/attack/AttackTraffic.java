package io.hxb.bench.attack;

import io.hxb.bench.harness.Child;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.soak.SoakApplication;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs at all nodes that send messages to one another and check every byte. Used by one thread.
 */
final class AttackTraffic implements AutoCloseable {
    /** What must not happen to messages. */
    static final List<String> FAULTS =
            List.of("failed_messages", "corrupt_messages", "repeated_messages", "lost_messages");

    private static final List<String> FLAGS = List.of("-Xmx64m", "-XX:TieredStopAtLevel=1");

    private final List<Child> programs = new ArrayList<>();

    /**
     * Starts them.
     *
     * @param folder for their messages when something is wrong.
     * @param messagesPerSecond that each sends.
     */
    AttackTraffic(final ProcessLab lab, final Path folder, final int messagesPerSecond)
            throws IOException {
        for (int node = 0; node < lab.nodes(); node++) {
            programs.add(
                    Child.start(
                            Peers.java(
                                    FLAGS,
                                    SoakApplication.class,
                                    lab.config().socketPath(node).toString(),
                                    Integer.toString(lab.nodes()),
                                    Integer.toString(messagesPerSecond)),
                            folder.resolve("program-" + node + ".log")));
        }
    }

    /**
     * Has all programs finish what is under way and be quiet; {@link #isQuiet} returns whether they
     * have.
     */
    void pause() {
        programs.forEach(program -> program.send("pause"));
    }

    /** Has all programs go on. */
    void goOn() {
        programs.forEach(program -> program.send("go"));
    }

    boolean isQuiet() {
        return programs.stream().allMatch(program -> program.last().path("quiet").asBoolean(false));
    }

    /** A figure of all programs together, about a second old. */
    long total(final String name) {
        return programs.stream().mapToLong(program -> program.last().path(name).asLong()).sum();
    }

    /** Programs that ended or lost their node. */
    List<String> ends() {
        final List<String> ends = new ArrayList<>();
        for (int node = 0; node < programs.size(); node++) {
            final Child program = programs.get(node);
            if (!program.isAlive()) {
                ends.add("the program at node " + node + " ended: " + program.end());
            } else if (program.last().path("attached").asLong() != 1) {
                ends.add("the program at node " + node + " had to attach again");
            }
        }
        return ends;
    }

    @Override
    public void close() {
        programs.forEach(program -> program.send("end"));
        programs.forEach(Child::close);
    }
}
