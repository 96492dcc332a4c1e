package io.hxb.tool.optimise;

import java.util.List;
import java.util.Map;

/** Reports of a management server, as text. Stateless. */
final class OptimiseText {
    private OptimiseText() {}

    /** The state of the network. */
    static String status(final Map<?, ?> status) {
        final StringBuilder text = new StringBuilder();
        text.append(
                "%s: %s of %s hosts, %s pairs with traffic, %s moved%n"
                        .formatted(
                                status.get("state"),
                                status.get("ready_hosts"),
                                status.get("hosts"),
                                status.get("pairs"),
                                status.get("moved_pairs")));
        final String busiest = String.valueOf(status.get("busiest_link"));
        if (!busiest.isEmpty()) {
            text.append(
                    "busiest link: %s, %.3f MB/s%n"
                            .formatted(
                                    busiest,
                                    ((Number) status.get("busiest_bytes_per_second")).doubleValue()
                                            / 1e6));
        }
        text.append("%s changes; %s%n".formatted(status.get("changes"), status.get("why")));
        if (((Number) status.get("half_pairs")).intValue() > 0) {
            text.append(
                    "%s pairs use two VIDs, so switches flood%n"
                            .formatted(status.get("half_pairs")));
        }
        if (((Number) status.get("claimed_pairs")).intValue() > 0) {
            text.append(
                    "%s pairs are left alone, since others have set them%n"
                            .formatted(status.get("claimed_pairs")));
        }
        for (final Object row : (List<?>) status.get("problems")) {
            final Map<?, ?> problem = (Map<?, ?>) row;
            text.append(
                    "manager %s: %s: %s%n"
                            .formatted(
                                    problem.get("manager"),
                                    problem.get("problem"),
                                    problem.get("words")));
        }
        return text.toString();
    }

    /** The last changes, and why there are no others. */
    static String changes(final Map<?, ?> report) {
        final StringBuilder text = new StringBuilder();
        for (final Object row : (List<?>) report.get("changes")) {
            final Map<?, ?> change = (Map<?, ?>) row;
            text.append("%s s ago: %s%n".formatted(change.get("seconds_ago"), change.get("words")));
        }
        return text.append("now: %s%n".formatted(report.get("why"))).toString();
    }
}
