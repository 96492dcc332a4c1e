package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the cables behind reports. Two reports, one of each end, are one cable, whatever the ends
 * call one another's ports: the name that an end has for its own port counts. A port has one cable.
 * Used by one thread.
 */
final class LldpCables {
    private final Map<String, List<LldpReport>> byPair = new LinkedHashMap<>();
    private final Set<String> reporters = new HashSet<>();
    private final List<Cable> confirmed = new ArrayList<>();
    private final Set<String> confirmedEnds = new HashSet<>();
    private final List<Cable> onesided = new ArrayList<>();
    private final Set<String> used = new HashSet<>();
    private final List<Cable> cables = new ArrayList<>();

    /**
     * A cable. Immutable.
     *
     * @param report of its first end.
     * @param answer of its second end, or null when that did not report it.
     */
    record Cable(LldpReport report, LldpReport answer) {
        String firstPort() {
            return report.port();
        }

        String secondPort() {
            return answer == null ? report.neighbour().portName() : answer.port();
        }

        String secondSystem() {
            return report.neighbour().name();
        }

        private String first() {
            return report.system() + "\0" + firstPort();
        }

        private String second() {
            return secondSystem() + "\0" + secondPort();
        }

        private boolean has(final String end) {
            return first().equals(end) || second().equals(end);
        }
    }

    private LldpCables() {}

    /**
     * Finds the cables.
     *
     * @param reports with one name for each system.
     * @throws GraphException if reports contradict one another and none is older than the other.
     */
    static List<Cable> of(final List<LldpReport> reports) {
        final LldpCables cables = new LldpCables();
        for (final LldpReport report : lldpFirst(reports)) {
            cables.reporters.add(report.system());
            // A cable of a system to itself carries nothing.
            if (!report.system().equals(report.neighbour().name())) {
                cables.byPair
                        .computeIfAbsent(
                                pair(report.system(), report.neighbour().name()),
                                key -> new ArrayList<>())
                        .add(report);
            }
        }
        cables.byPair.keySet().forEach(cables::match);
        cables.settle(cables.confirmed);
        cables.dropDisproved();
        cables.settle(cables.onesided);
        return cables.cables;
    }

    /** Leaves out what was heard by another protocol from a neighbour that LLDP heard, too. */
    private static List<LldpReport> lldpFirst(final List<LldpReport> reports) {
        final Set<String> heard = new HashSet<>();
        for (final LldpReport report : reports) {
            if (report.isLldp()) {
                heard.add(
                        report.system() + "\0" + report.port() + "\0" + report.neighbour().name());
            }
        }
        final Set<String> seen = new HashSet<>();
        return reports.stream()
                .filter(
                        report -> {
                            final String key =
                                    report.system()
                                            + "\0"
                                            + report.port()
                                            + "\0"
                                            + report.neighbour().name();
                            return (report.isLldp() || !heard.contains(key))
                                    && seen.add(key + "\0" + report.neighbour().portName());
                        })
                .toList();
    }

    private static String pair(final String from, final String to) {
        return from + "\0" + to;
    }

    /** Joins the reports of two systems about one another. */
    private void match(final String pair) {
        final List<LldpReport> there = byPair.get(pair);
        final LldpReport any = there.getFirst();
        final List<LldpReport> back =
                byPair.getOrDefault(pair(any.neighbour().name(), any.system()), List.of());
        if (back.isEmpty()) {
            there.forEach(report -> onesided.add(new Cable(report, null)));
            return;
        }
        if (any.system().compareTo(any.neighbour().name()) > 0) {
            // From the other end: both lists are the same.
            return;
        }
        final Set<LldpReport> left = new HashSet<>(there);
        final Set<LldpReport> leftBack = new HashSet<>(back);
        // A report that fits several answers equally well is about a port that hears several.
        for (int agreement = 4; agreement > 0; agreement--) {
            final Set<LldpReport> matched = new HashSet<>();
            for (final LldpReport report : there) {
                for (final LldpReport answer : back) {
                    if (left.contains(report)
                            && leftBack.contains(answer)
                            && agreement(report, answer) == agreement) {
                        confirm(new Cable(report, answer));
                        matched.add(report);
                        matched.add(answer);
                    }
                }
            }
            left.removeAll(matched);
            leftBack.removeAll(matched);
        }
        matchRest(
                there.stream().filter(left::contains).toList(),
                back.stream().filter(leftBack::contains).toList());
    }

    private void matchRest(final List<LldpReport> left, final List<LldpReport> leftBack) {
        final List<LldpReport> open = new ArrayList<>(left);
        final List<LldpReport> openBack = new ArrayList<>(leftBack);
        open.removeIf(report -> isConfirmed(report.system(), report.port()));
        openBack.removeIf(report -> isConfirmed(report.system(), report.port()));
        if (open.size() == 1 && openBack.size() == 1) {
            confirm(new Cable(open.getFirst(), openBack.getFirst()));
        } else if (!open.isEmpty() && !openBack.isEmpty()) {
            throw new GraphException(
                    open.getFirst()
                            + ", and "
                            + openBack.getFirst()
                            + ": whether this is one cable or two cannot be told, as neither names"
                            + " the other's port as that does itself; let lldpd announce the names"
                            + " of interfaces (configure lldp portidsubtype ifname)");
        } else {
            open.forEach(report -> onesided.add(new Cable(report, null)));
            openBack.forEach(report -> onesided.add(new Cable(report, null)));
        }
    }

    private void confirm(final Cable cable) {
        confirmed.add(cable);
        confirmedEnds.add(cable.first());
        confirmedEnds.add(cable.second());
    }

    private boolean isConfirmed(final String system, final String port) {
        return confirmedEnds.contains(system + "\0" + port);
    }

    /** 4: both name the other's port as it does itself, 2 for one of them or for abbreviations. */
    private static int agreement(final LldpReport report, final LldpReport answer) {
        return likeness(report.neighbour(), answer.port())
                + likeness(answer.neighbour(), report.port());
    }

    private static int likeness(final LldpReport.Neighbour neighbour, final String port) {
        if (neighbour.port().equals(port) || neighbour.description().equals(port)) {
            return 2;
        }
        return isAbbreviation(neighbour.port(), port)
                        || isAbbreviation(neighbour.description(), port)
                ? 1
                : 0;
    }

    /** Whether one is short for the other: {@code Eth1/28} and {@code Ethernet1/28}. */
    static boolean isAbbreviation(final String a, final String b) {
        final int digitsA = firstDigit(a);
        final int digitsB = firstDigit(b);
        final int letters = Math.min(digitsA, digitsB);
        return letters > 0
                && digitsA < a.length()
                && a.substring(digitsA).equals(b.substring(digitsB))
                && a.regionMatches(true, 0, b, 0, letters);
    }

    private static int firstDigit(final String text) {
        int at = 0;
        while (at < text.length() && !(text.charAt(at) >= '0' && text.charAt(at) <= '9')) {
            at++;
        }
        return at;
    }

    /** One-sided reports that a confirmed cable or the silence of the other end disproves. */
    private void dropDisproved() {
        onesided.removeIf(
                cable ->
                        reporters.contains(cable.secondSystem())
                                && (used.contains(cable.first()) || used.contains(cable.second())));
        final Map<String, List<LldpReport>> reportsAt = new HashMap<>();
        for (final Cable cable : cables) {
            reportsAt.computeIfAbsent(cable.first(), end -> new ArrayList<>()).add(cable.report);
            reportsAt.computeIfAbsent(cable.second(), end -> new ArrayList<>()).add(cable.answer);
        }
        for (final Cable cable : onesided) {
            reportsAt.computeIfAbsent(cable.first(), end -> new ArrayList<>()).add(cable.report);
        }
        onesided.removeIf(
                cable ->
                        reportsAt.get(cable.first()).stream().anyMatch(cable.report::isOutlivedBy));
    }

    /**
     * Takes cables, those first whose ends have no other. What is left over is known by other
     * reports of both its ends, as with aggregates whose frames arrive at one port, or contradicts.
     */
    private void settle(final List<Cable> candidates) {
        final Map<String, Integer> counts = new HashMap<>();
        for (final Cable cable : candidates) {
            counts.merge(cable.first(), 1, Integer::sum);
            counts.merge(cable.second(), 1, Integer::sum);
        }
        final List<Cable> rest = new ArrayList<>();
        for (int most = 0; most < 2; most++) {
            final boolean isUnique = most == 0;
            for (final Cable cable : candidates) {
                if (isUnique
                        == (Math.min(counts.get(cable.first()), counts.get(cable.second())) == 1)) {
                    take(cable, rest);
                }
            }
        }
        // The switch's port explains more than that of a host.
        rest.sort(Comparator.comparing(cable -> !isContestedAtSwitch(cable)));
        for (final Cable cable : rest) {
            if (!used.contains(cable.first()) || !used.contains(cable.second())) {
                throw contradiction(cable);
            }
        }
    }

    private boolean isContestedAtSwitch(final Cable cable) {
        final LldpReport description = used.contains(cable.second()) ? cable.report : cable.answer;
        return description != null
                && (description.neighbour().kind() == LldpReport.Kind.BRIDGE
                        || description.neighbour().kind() == LldpReport.Kind.ROUTER);
    }

    private void take(final Cable cable, final List<Cable> rest) {
        if (used.contains(cable.first()) || used.contains(cable.second())) {
            rest.add(cable);
            return;
        }
        used.add(cable.first());
        used.add(cable.second());
        cables.add(cable);
    }

    private GraphException contradiction(final Cable cable) {
        final Cable other =
                cables.stream()
                        .filter(one -> one.has(cable.first()) || one.has(cable.second()))
                        .findFirst()
                        .orElseThrow();
        final boolean isAtFirst = other.has(cable.first());
        final String port = (isAtFirst ? cable.first() : cable.second()).replace('\0', '.');
        return new GraphException(
                "port "
                        + port
                        + " has two neighbours, "
                        + otherEnd(other, isAtFirst ? cable.first() : cable.second())
                        + " and "
                        + otherEnd(cable, isAtFirst ? cable.first() : cable.second())
                        + ": a switch or hub without LLDP that passes LLDP on is between them, or a"
                        + " report is out of date; plug them into ports of their own, or remove the"
                        + " wrong report");
    }

    private static String otherEnd(final Cable cable, final String end) {
        return (cable.first().equals(end) ? cable.second() : cable.first()).replace('\0', '.');
    }
}
