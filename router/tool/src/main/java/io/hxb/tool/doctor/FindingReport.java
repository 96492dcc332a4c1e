package io.hxb.tool.doctor;

import io.hxb.log.Printable;
import io.hxb.tool.doctor.Finding.Level;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that was found, for people and programs. Immutable.
 *
 * @param groups what was examined, in that order.
 */
public record FindingReport(List<FindingGroup> groups) {
    private static final Comparator<Entry> WORST_FIRST =
            Comparator.comparing((Entry entry) -> entry.finding.level()).reversed();

    /** Copies the list. */
    public FindingReport {
        groups = List.copyOf(groups);
    }

    /** The same finding, of one or several nodes and of one or several of their parts. */
    private record Entry(Finding finding, Set<String> subjects, Set<FindingGroup> places) {
        Entry(final Finding finding) {
            this(finding, new LinkedHashSet<>(), new LinkedHashSet<>());
        }
    }

    /** How many findings there are of a level. */
    public long count(final Level level) {
        return groups.stream()
                .flatMap(group -> group.findings().stream())
                .filter(finding -> finding.level() == level)
                .count();
    }

    /** True if nothing fails. */
    public boolean isOk() {
        return count(Level.FAIL) == 0;
    }

    /** All findings and their counts, as JSON shows them. */
    public Map<String, Object> report() {
        final List<Map<String, Object>> findings = new ArrayList<>();
        for (final FindingGroup group : groups) {
            for (final Finding finding : group.findings()) {
                final Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("group", group.name());
                entry.put("level", finding.level());
                entry.put("subject", finding.subject());
                entry.put("text", finding.text());
                entry.put("fix", finding.fix());
                findings.add(entry);
            }
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk());
        report.put("fine", count(Level.OK));
        report.put("warnings", count(Level.WARN));
        report.put("failures", count(Level.FAIL));
        report.put("findings", findings);
        return report;
    }

    /**
     * The findings for people, by what was examined, the worst first, the same of several nodes in
     * one line; then a line with the totals.
     *
     * @param isAll whether to include what is as it should be.
     */
    public String text(final boolean isAll) {
        final Map<String, List<Entry>> byPlace = new LinkedHashMap<>();
        for (final Entry entry : folded(isAll)) {
            byPlace.computeIfAbsent(place(entry.places), key -> new ArrayList<>()).add(entry);
        }
        final List<Map.Entry<String, List<Entry>>> sections = new ArrayList<>(byPlace.entrySet());
        sections.forEach(section -> section.getValue().sort(WORST_FIRST));
        sections.sort(Comparator.comparing(section -> section.getValue().getFirst(), WORST_FIRST));
        final StringBuilder text = new StringBuilder();
        for (final Map.Entry<String, List<Entry>> section : sections) {
            text.append(section.getKey()).append('\n');
            section.getValue().forEach(entry -> append(entry, text));
        }
        return Printable.message(text.append(summary()).append('\n').toString());
    }

    /** Each finding once, with its parts and nodes. */
    private List<Entry> folded(final boolean isAll) {
        final Map<List<Object>, Entry> ofNodes = new LinkedHashMap<>();
        final List<Entry> entries = new ArrayList<>();
        for (final FindingGroup group : groups) {
            final Map<List<Object>, Entry> ofGroup = new LinkedHashMap<>();
            for (final Finding finding : group.findings()) {
                if (isAll || finding.level() != Level.OK) {
                    final List<Object> key =
                            List.of(finding.level(), finding.text(), finding.fix());
                    ofGroup.computeIfAbsent(key, same -> new Entry(finding))
                            .subjects
                            .add(finding.subject());
                }
            }
            for (final Map.Entry<List<Object>, Entry> one : ofGroup.entrySet()) {
                final Entry entry = one.getValue();
                final List<Object> key =
                        List.of(one.getKey(), entry.subjects, group.node() < 0 ? group.name() : "");
                final Entry known = ofNodes.putIfAbsent(key, entry);
                if (known == null) {
                    entries.add(entry);
                }
                (known == null ? entry : known).places.add(group);
            }
        }
        return entries;
    }

    private static String place(final Set<FindingGroup> places) {
        if (places.size() == 1) {
            return places.iterator().next().name();
        }
        final List<Integer> nodes = places.stream().map(FindingGroup::node).sorted().toList();
        final StringBuilder text = new StringBuilder("nodes ");
        for (int i = 0; i < nodes.size(); i++) {
            int end = i;
            while (end + 1 < nodes.size() && nodes.get(end + 1) == nodes.get(end) + 1) {
                end++;
            }
            text.append(i == 0 ? "" : ", ").append(nodes.get(i));
            if (end > i) {
                text.append(end == i + 1 ? ", " : "..").append(nodes.get(end));
            }
            i = end;
        }
        return text.toString();
    }

    private static void append(final Entry entry, final StringBuilder text) {
        final String subjects = String.join(", ", entry.subjects);
        text.append(
                "  %-4s  %s: %s%n"
                        .formatted(entry.finding.level(), subjects, entry.finding.text()));
        if (!entry.finding.fix().isEmpty()) {
            text.append("        -> ").append(entry.finding.fix()).append('\n');
        }
    }

    private String summary() {
        return count(Level.OK)
                + " fine, "
                + counted(count(Level.WARN), "warning")
                + ", "
                + counted(count(Level.FAIL), "failure");
    }

    private static String counted(final long count, final String word) {
        return count + " " + word + (count == 1 ? "" : "s");
    }
}
