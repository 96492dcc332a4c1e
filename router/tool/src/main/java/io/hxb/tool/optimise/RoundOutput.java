package io.hxb.tool.optimise;

import io.hxb.manager.control.ControlReport;
import io.hxb.tool.option.Output;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints what is new after each round of a management server. Used by one thread. */
final class RoundOutput {
    private final Output output;
    private final boolean isDry;
    private long seenChanges;
    private String lastState = "";

    /**
     * Nothing has been printed yet.
     *
     * @param isDry whether changes are not made.
     */
    RoundOutput(final Output output, final boolean isDry) {
        this.output = output;
        this.isDry = isDry;
    }

    /** A line for each change, and for each change of state. */
    void onRound(final ControlReport report) {
        final String state = String.valueOf(report.status().get("state"));
        final List<?> changes = (List<?>) report.changes().get("changes");
        final long made = report.changeCount();
        if (!state.equals(lastState)) {
            lastState = state;
            output.text().print(OptimiseText.status(report.status()));
            output.report(report.status());
        }
        final int news = (int) Math.min(changes.size(), made - seenChanges);
        seenChanges = made;
        for (final Object row : changes.subList(changes.size() - news, changes.size())) {
            final Map<String, Object> line = new LinkedHashMap<>();
            line.put("ok", true);
            ((Map<?, ?>) row).forEach((name, value) -> line.put(String.valueOf(name), value));
            output.text().println((isDry ? "would change: " : "") + line.get("words"));
            output.report(line);
        }
    }
}
