package io.hxb.tool.chaos.script;

import io.hxb.config.Quantity;

import java.util.Comparator;
import java.util.List;

/**
 * What happens in a run, by time. Immutable.
 *
 * @param faults in the order of their times.
 */
public record FaultScript(List<Fault> faults) {
    /** Sorts by time; what happens at the same time keeps its order. */
    public FaultScript {
        faults = faults.stream().sorted(Comparator.comparingLong(Fault::atNs)).toList();
    }

    /** Time of the last one; 0 without any. */
    public long lastNs() {
        return faults.isEmpty() ? 0 : faults.getLast().atNs();
    }

    /** True if something happens to nodes, which then must be processes of their own. */
    public boolean hasNodes() {
        return faults.stream().anyMatch(fault -> !fault.nodes().isEmpty());
    }

    /** True if something happens to cables. */
    public boolean hasCables() {
        return faults.stream().anyMatch(fault -> !fault.cables().isEmpty());
    }

    /** True if frames are damaged, which only a CRC notices. */
    public boolean hasDamage() {
        return faults.stream().anyMatch(fault -> fault.detail().corruptShare() > 0);
    }

    /**
     * As a file that {@link ScriptReader} reads as an equal script, except for its line numbers.
     */
    public String write() {
        final StringBuilder text = new StringBuilder();
        for (final Fault fault : faults) {
            text.append("- at: ").append(Quantity.formatDuration(fault.atNs())).append('\n');
            text.append("  ").append(fault.action().word()).append(": ");
            // A star would begin an alias.
            text.append('"').append(fault.target()).append("\"\n");
            fault.detail()
                    .words(fault.action())
                    .forEach(
                            (key, value) ->
                                    text.append("  ")
                                            .append(key)
                                            .append(": ")
                                            .append(value)
                                            .append('\n'));
        }
        return text.toString();
    }
}
