package io.hxb.tool.graph;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Gives each system one name, that of its own report where there is one: neighbours may know it by
 * a longer name, or by its chassis only. Used by one thread.
 */
final class LldpNames {
    private final Set<String> reporters = new HashSet<>();

    /** Names by chassis, and chassis by name, as neighbours announce them. */
    private final Map<String, Set<String>> namesOfChassis = new HashMap<>();

    private final Map<String, Set<String>> chassisOfName = new HashMap<>();

    /** The reporter that each other name stands for. */
    private final Map<String, String> aliases = new HashMap<>();

    private LldpNames() {}

    /** The reports with names that are each system's only one. */
    static List<LldpReport> unify(final List<LldpReport> reports) {
        final LldpNames names = new LldpNames();
        for (final LldpReport report : reports) {
            names.reporters.add(report.system());
            final LldpReport.Neighbour other = report.neighbour();
            if (!other.name().isEmpty() && !other.chassis().isEmpty()) {
                add(names.namesOfChassis, other.chassis(), other.name());
                add(names.chassisOfName, other.name(), other.chassis());
            }
        }
        names.findLongerNames();
        names.findByPorts(reports);
        return reports.stream()
                .map(report -> report.withSystems(report.system(), names.of(report.neighbour())))
                .toList();
    }

    private static void add(
            final Map<String, Set<String>> sets, final String key, final String value) {
        sets.computeIfAbsent(key, _ -> new HashSet<>()).add(value);
    }

    /** {@code leaf1.example.com} is the reporter {@code leaf1}, unless another one may be. */
    private void findLongerNames() {
        final Map<String, Set<String>> byFirst = new HashMap<>();
        for (final String name : reporters) {
            add(byFirst, firstLabel(name), name);
        }
        final Map<String, Set<String>> candidates = new LinkedHashMap<>();
        for (final String name : chassisOfName.keySet()) {
            final Set<String> same = byFirst.getOrDefault(firstLabel(name), Set.of());
            if (!reporters.contains(name) && same.size() == 1) {
                add(candidates, same.iterator().next(), name);
            }
        }
        candidates.forEach(
                (reporter, names) -> {
                    final String name = names.iterator().next();
                    final Set<String> own = chassisOfName.getOrDefault(reporter, Set.of());
                    // Under its own name it is known with this chassis, too, or not at all.
                    if (names.size() == 1
                            && (own.isEmpty()
                                    || !Collections.disjoint(own, chassisOfName.get(name)))) {
                        aliases.put(name, reporter);
                    }
                });
    }

    private static String firstLabel(final String name) {
        final int dot = name.indexOf('.');
        return (dot > 0 ? name.substring(0, dot) : name).toLowerCase(Locale.ROOT);
    }

    /**
     * Where a reporter hears another one at a port, and that one hears a stranger there, the
     * stranger is the reporter.
     */
    private void findByPorts(final List<LldpReport> reports) {
        final Map<String, Set<String>> heardAt = new HashMap<>();
        for (final LldpReport report : reports) {
            add(heardAt, report.system() + "\0" + report.port(), report.neighbour().systemName());
        }
        final Map<String, Set<String>> found = new LinkedHashMap<>();
        for (final LldpReport report : reports) {
            final String other = of(report.neighbour());
            final Set<String> heard =
                    heardAt.getOrDefault(other + "\0" + report.neighbour().portName(), Set.of());
            if (reporters.contains(other) && heard.size() == 1) {
                final String stranger = heard.iterator().next();
                if (!reporters.contains(stranger) && !aliases.containsKey(stranger)) {
                    add(found, stranger, report.system());
                }
            }
        }
        found.forEach(
                (stranger, names) -> {
                    if (names.size() == 1) {
                        aliases.put(stranger, names.iterator().next());
                    }
                });
    }

    private String of(final LldpReport.Neighbour neighbour) {
        String name = neighbour.systemName();
        if (neighbour.name().isEmpty()) {
            final Set<String> names = namesOfChassis.getOrDefault(neighbour.chassis(), Set.of());
            name = names.size() == 1 ? names.iterator().next() : name;
        }
        if (reporters.contains(name)) {
            return name;
        }
        if (aliases.containsKey(name)) {
            return aliases.get(name);
        }
        // Devices that all have the name they were delivered with are not one device.
        final boolean isShared = chassisOfName.getOrDefault(name, Set.of()).size() > 1;
        return isShared && !neighbour.chassis().isEmpty() ? name + "@" + neighbour.chassis() : name;
    }
}
