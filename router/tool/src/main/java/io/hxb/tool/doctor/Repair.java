package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.log.Printable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Does what doctor can do itself about the NICs of a cluster file. Immutable.
 *
 * @param steps what was done, or would be, in that order.
 */
public record Repair(List<Step> steps) {
    /** Copies the list. */
    public Repair {
        steps = List.copyOf(steps);
    }

    /** What becomes of a step. */
    enum Result {
        /** It was done. */
        DONE,
        /** It would be done. */
        SHOWN,
        /** There is nothing to do, or it is not for doctor to do. */
        LEFT,
        /** It could not be done. */
        FAILED
    }

    /**
     * One thing that was to be done. Immutable.
     *
     * @param subject the NIC.
     * @param text what it is, or why it was left or failed.
     * @param next what remains for the user; may be empty.
     * @param content of the file that is written; empty where it is none.
     */
    record Step(String subject, Result result, String text, String next, String content) {}

    /** Something that may fail. */
    private interface Action {
        void run() throws IOException;
    }

    /**
     * Looks at the NICs of the raw links of some nodes, and changes what has to be changed.
     *
     * @param nodes those of this machine.
     * @param root of the files of this machine.
     * @param isDry whether to change nothing.
     */
    public static Repair run(
            final ClusterConfig config,
            final List<Integer> nodes,
            final Path root,
            final boolean isDry) {
        final List<Step> steps = new ArrayList<>();
        if (!config.backend().usesNics()) {
            return new Repair(steps);
        }
        for (final int node : nodes) {
            final String namespace = config.netns(node);
            final Set<String> nics = new HashSet<>();
            for (final LinkConfig link : config.links(node)) {
                final String nic = NicsCheck.name(namespace, link.nic());
                if (nics.add(nic)) {
                    leftovers(namespace, nic, isDry).ifPresent(steps::add);
                    if (namespace.isEmpty()) {
                        steps.add(boot(config, nic, root, isDry));
                    }
                }
            }
        }
        return new Repair(steps);
    }

    private static Optional<Step> leftovers(
            final String name, final String nic, final boolean isDry) {
        final String namespace = name.isEmpty() ? null : name;
        final List<Long> dead;
        try {
            dead = Leftovers.dead(namespace, nic);
        } catch (final IOException e) {
            // Doctor reports NICs that are not there.
            return Optional.empty();
        }
        return dead.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        step(
                                nic,
                                "switch rx-udp-gro-forwarding off, and remove the mark of killed"
                                        + " nodes (pid "
                                        + String.join(
                                                ", ", dead.stream().map(Object::toString).toList())
                                        + ")",
                                null,
                                isDry,
                                () -> Leftovers.putBack(namespace, nic, dead)));
    }

    private static Step boot(
            final ClusterConfig config, final String nic, final Path root, final boolean isDry) {
        return boot(NicsCheck.bootNic(nic, config.socket().mtuBytes()), root, isDry);
    }

    /** Writes the file that sets a NIC up when the machine starts. */
    static Step boot(final BootPlan.Nic nic, final Path root, final boolean isDry) {
        final BootPlan plan = BootPlan.of(root, nic);
        final BootFile file = plan.file();
        return file == null
                ? new Step("nic " + nic.name(), Result.LEFT, plan.text(), plan.fix(), "")
                : step(nic.name(), "write " + file.path(), file, isDry, () -> file.write(root));
    }

    private static Step step(
            final String nic,
            final String text,
            final BootFile file,
            final boolean isDry,
            final Action action) {
        final String subject = "nic " + nic;
        final String next = file == null ? "" : file.apply();
        final String content = file == null ? "" : file.content();
        if (isDry) {
            return new Step(subject, Result.SHOWN, text, next, content);
        }
        try {
            action.run();
            return new Step(subject, Result.DONE, text, next, content);
        } catch (final IOException e) {
            return new Step(
                    subject,
                    Result.FAILED,
                    text + ": " + e.getClass().getSimpleName() + ": " + e.getMessage(),
                    "run it as root",
                    content);
        }
    }

    /** True if nothing failed. */
    public boolean isOk() {
        return steps.stream().noneMatch(step -> step.result() == Result.FAILED);
    }

    /** The steps for people, each with the file that it writes. */
    public String text() {
        final StringBuilder text = new StringBuilder("fixes\n");
        for (final Step step : steps) {
            text.append("  %-6s  %s: %s%n".formatted(step.result, step.subject, step.text));
            step.content
                    .lines()
                    .forEach(line -> text.append(" ".repeat(12)).append(line).append('\n'));
            if (!step.next.isEmpty()) {
                text.append("          -> ").append(step.next).append('\n');
            }
        }
        if (steps.isEmpty()) {
            text.append("  nothing to do\n");
        }
        return Printable.message(text.toString());
    }

    /** The steps, as JSON shows them. */
    public List<Map<String, Object>> report() {
        final List<Map<String, Object>> entries = new ArrayList<>();
        for (final Step step : steps) {
            final Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("subject", step.subject);
            entry.put("result", step.result);
            entry.put("text", step.text);
            entry.put("next", step.next);
            entry.put("content", step.content);
            entries.add(entry);
        }
        return entries;
    }
}
