package io.hxb.tool.chaos.script;

import io.hxb.config.ConfigException;
import io.hxb.config.Quantity;
import io.hxb.config.yaml.RecordsYaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Reads scripts of faults and reports all problems together. Used by one thread. */
public final class ScriptReader {
    private static final String EXAMPLE = "{at: 2s, pull: \"x.0 of (0,0)\"}";

    /** Latest time of a fault: a day. */
    private static final long MAX_NS = 86_400_000_000_000L;

    private final Selector selector;
    private final List<Problem> problems = new ArrayList<>();

    private record Problem(int line, String text) {}

    /** Makes a reader of scripts for one lab. */
    public ScriptReader(final Selector selector) {
        this.selector = selector;
    }

    /**
     * Reads the text of a script.
     *
     * @param file its name in messages.
     * @throws ConfigException with every problem and its line.
     */
    public FaultScript parse(final String text, final String file) {
        problems.clear();
        final List<Fault> faults = new ArrayList<>();
        for (final RecordsYaml.Entry entry : RecordsYaml.parse(text, file, EXAMPLE)) {
            read(entry, faults);
        }
        final FaultScript script = new FaultScript(faults);
        if (problems.isEmpty()) {
            new ScriptCheck(selector.shape()).check(script, this::problem);
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(
                    problems.stream()
                            .sorted(Comparator.comparingInt(Problem::line))
                            .map(problem -> file + ":" + problem.line + ": " + problem.text)
                            .distinct()
                            .toList());
        }
        return script;
    }

    private void problem(final int line, final String text) {
        problems.add(new Problem(line, text));
    }

    private void read(final RecordsYaml.Entry entry, final List<Fault> faults) {
        final List<String> actions =
                entry.values().keySet().stream()
                        .filter(key -> FaultAction.of(key) != null)
                        .toList();
        final Set<String> known =
                Set.of("at", "for", "rate", "drop", "corrupt", "passes", "period");
        for (final String key : entry.values().keySet()) {
            if (!known.contains(key) && !actions.contains(key)) {
                problem(
                        entry.line(),
                        "'" + key + "' is not known; actions are " + FaultAction.words());
                return;
            }
        }
        if (actions.size() != 1) {
            problem(
                    entry.line(),
                    actions.isEmpty()
                            ? "names no action; actions are " + FaultAction.words()
                            : "names several actions: "
                                    + String.join(", ", actions)
                                    + "; split it");
            return;
        }
        final int before = problems.size();
        final FaultAction action = FaultAction.of(actions.getFirst());
        final Fault fault = fault(entry, action, entry.values().get(actions.getFirst()));
        final long lastingNs = value(entry, "for", 0L, ScriptReader::positiveNs);
        if (problems.size() == before) {
            faults.add(fault);
            if (lastingNs > 0) {
                faults.add(fault.repairedAt(fault.atNs() + lastingNs));
            }
        }
    }

    private Fault fault(
            final RecordsYaml.Entry entry, final FaultAction action, final String target) {
        for (final String key : entry.values().keySet()) {
            if (!key.equals("at")
                    && FaultAction.of(key) == null
                    && !action.options().contains(key)) {
                problem(entry.line(), action.word() + " takes no '" + key + "'");
            }
        }
        if (!entry.values().containsKey("at")) {
            problem(entry.line(), "has no time; add at: 2s");
        }
        final long atNs = value(entry, "at", 0L, ScriptReader::timeNs);
        List<Cable> cables = List.of();
        List<Integer> nodes = List.of();
        try {
            if (action.isOfCables()) {
                cables = selector.cables(target);
            } else {
                nodes = selector.nodes(target);
            }
        } catch (final IllegalArgumentException e) {
            problem(entry.line(), action.word() + ": " + e.getMessage());
        }
        return new Fault(atNs, action, target, cables, nodes, detail(entry, action), entry.line());
    }

    private FaultDetail detail(final RecordsYaml.Entry entry, final FaultAction action) {
        final int before = problems.size();
        final FaultDetail detail =
                new FaultDetail(
                        value(entry, "rate", 0L, Quantity::parseRateBps),
                        value(entry, "drop", 0.0, ScriptReader::share),
                        value(entry, "corrupt", 0.0, ScriptReader::share),
                        value(entry, "passes", true, ScriptReader::isOut),
                        value(entry, "period", 0L, ScriptReader::positiveNs));
        final String missing =
                switch (action) {
                    case SLOW -> detail.rateBps() < 8000 ? "rate: 100mbit (8kbit or more)" : "";
                    case DAMAGE ->
                            detail.dropShare() + detail.corruptShare() == 0
                                    ? "drop: 5% or corrupt: 1%"
                                    : "";
                    case FLAP -> detail.periodNs() < 2_000_000 ? "period: 200ms (2ms or more)" : "";
                    default -> "";
                };
        if (!missing.isEmpty() && problems.size() == before) {
            problem(entry.line(), action.word() + " needs " + missing);
        }
        return action == FaultAction.ONE_WAY || !detail.passesOut()
                ? detail
                : new FaultDetail(
                        detail.rateBps(),
                        detail.dropShare(),
                        detail.corruptShare(),
                        false,
                        detail.periodNs());
    }

    private <T> T value(
            final RecordsYaml.Entry entry,
            final String key,
            final T fallback,
            final Function<String, T> parser) {
        final Map<String, String> values = entry.values();
        if (!values.containsKey(key)) {
            return fallback;
        }
        try {
            return parser.apply(values.get(key));
        } catch (final IllegalArgumentException e) {
            problem(entry.line(), key + " " + e.getMessage());
            return fallback;
        }
    }

    private static long timeNs(final String text) {
        if (text.startsWith("-")) {
            throw new IllegalArgumentException("must not be negative: " + text);
        }
        final long ns = text.equals("0") ? 0 : Quantity.parseDurationNs(text);
        if (ns > MAX_NS) {
            throw new IllegalArgumentException("must be at most a day: " + text);
        }
        return ns;
    }

    private static long positiveNs(final String text) {
        final long ns = timeNs(text);
        if (ns == 0) {
            throw new IllegalArgumentException("must be above 0: " + text);
        }
        return ns;
    }

    private static double share(final String text) {
        if (!text.matches("\\d{1,3}(\\.\\d{1,6})?\\s*%")
                || Double.parseDouble(text.replace("%", "")) > 100) {
            throw new IllegalArgumentException("must be a share such as 5%, not '" + text + "'");
        }
        return Double.parseDouble(text.replace("%", "")) / 100;
    }

    private static boolean isOut(final String text) {
        if (!text.equals("out") && !text.equals("in")) {
            throw new IllegalArgumentException(
                    "must be out (what the node sends passes) or in (what it gets), not '"
                            + text
                            + "'");
        }
        return text.equals("out");
    }
}
