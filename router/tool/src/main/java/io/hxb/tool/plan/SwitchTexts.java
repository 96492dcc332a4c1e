package io.hxb.tool.plan;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.config.SwitchSetup;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The texts for all switches, by switch; printed, or written to a folder. Immutable. */
final class SwitchTexts {
    private final Dialect dialect;
    private final Map<String, String> texts;
    private final List<String> gone;
    private final int maxMacEntries;

    private SwitchTexts(
            final Dialect dialect,
            final Map<String, String> texts,
            final List<String> gone,
            final int maxMacEntries) {
        this.maxMacEntries = maxMacEntries;
        this.dialect = dialect;
        this.texts = texts;
        this.gone = gone;
    }

    /**
     * Makes the texts.
     *
     * @param before the plan that the switches have now, or null for none.
     */
    static SwitchTexts of(final Dialect dialect, final VlanPlan before, final VlanPlan plan) {
        dialect.check(plan.kind());
        final Map<String, SwitchSetup> old = new LinkedHashMap<>();
        if (before != null) {
            SetupMaker.of(before).forEach(setup -> old.put(setup.name(), setup));
        }
        final Map<String, String> texts = new LinkedHashMap<>();
        int maxMacEntries = 0;
        for (final SwitchSetup setup : SetupMaker.of(plan)) {
            maxMacEntries = Math.max(maxMacEntries, setup.macs().size());
            final SwitchSetup earlier = old.remove(setup.name());
            texts.put(
                    setup.name(),
                    earlier == null ? dialect.full(setup) : dialect.changes(earlier, setup));
        }
        return new SwitchTexts(dialect, texts, new ArrayList<>(old.keySet()), maxMacEntries);
    }

    /** Names of switches that need changes. */
    List<String> changed() {
        return texts.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Names of switches that were in the plan before and no longer are. */
    List<String> gone() {
        return gone;
    }

    /** Static MAC addresses of the switch that has the most. */
    int maxMacEntries() {
        return maxMacEntries;
    }

    /** The text of each switch that needs changes. */
    Map<String, String> bySwitch() {
        final Map<String, String> changed = new LinkedHashMap<>(texts);
        changed.values().removeIf(String::isEmpty);
        return changed;
    }

    /** All texts one after the other. */
    String all() {
        final StringBuilder all = new StringBuilder();
        for (final String text : texts.values()) {
            all.append(text).append(text.isEmpty() ? "" : "\n");
        }
        return all.toString();
    }

    /**
     * Writes a file for each switch that needs changes, and returns which.
     *
     * @param isDry whether only to return what would be written.
     * @return a line for each file.
     */
    List<String> write(final Path folder, final boolean isDry) throws IOException {
        final List<String> lines = new ArrayList<>();
        if (!isDry) {
            Files.createDirectories(folder);
        }
        for (final Map.Entry<String, String> entry : texts.entrySet()) {
            if (entry.getValue().isEmpty()) {
                continue;
            }
            final Path file = folder.resolve(fileName(entry.getKey()));
            final boolean isThere = Files.exists(file);
            final String state =
                    !isThere
                            ? "new"
                            : Files.readString(file).equals(entry.getValue()) ? "same" : "changed";
            lines.add(
                    "%s %s (%d lines)%s"
                            .formatted(
                                    state,
                                    file,
                                    entry.getValue().lines().count(),
                                    isDry ? ", not written: dry run" : ""));
            if (!isDry) {
                OutputFiles.write(file, () -> Files.writeString(file, entry.getValue()));
            }
        }
        return lines;
    }

    private String fileName(final String switchName) {
        if (switchName.contains("/") || switchName.startsWith(".")) {
            throw new ToolException(
                    "switch '" + switchName + "' cannot be the name of a file; rename it");
        }
        return switchName + dialect.fileEnding();
    }
}
