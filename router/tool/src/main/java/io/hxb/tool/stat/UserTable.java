package io.hxb.tool.stat;

import io.hxb.config.Quantity;
import io.hxb.config.ResourceShare;
import io.hxb.counter.ResourceUse;
import io.hxb.counter.ResourceUses;
import io.hxb.tool.report.TextTable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * What tenants and users have of a node, and what they may have: a column for each key of {@code
 * limits}. Stateless.
 */
final class UserTable {
    private UserTable() {}

    /** The rows, tenants first, and a line for those of whom there was no room in the file. */
    static String text(final ResourceUses uses) {
        final TextTable table =
                new TextTable(
                        Stream.of(
                                        Stream.of("held/limit", "tenant"),
                                        Stream.of(ResourceShare.values()).map(ResourceShare::key),
                                        Stream.of("refused"))
                                .flatMap(words -> words)
                                .toArray(String[]::new));
        for (final ResourceUse use : sorted(uses)) {
            final List<Object> row = new ArrayList<>(List.of(use.who(), use.tenant()));
            for (final ResourceShare share : ResourceShare.values()) {
                row.add(cell(share, use.shares().get(share.key())));
            }
            row.add(refusals(use));
            table.row(row.toArray());
        }
        return uses.leftOut() == 0
                ? table.toString()
                : table + "and " + uses.leftOut() + " more users\n";
    }

    // The file has those first who were refused most.
    private static List<ResourceUse> sorted(final ResourceUses uses) {
        return uses.uses().stream()
                .sorted(
                        Comparator.comparing((ResourceUse use) -> use.who().startsWith("user "))
                                .thenComparingInt(use -> use.who().length())
                                .thenComparing(ResourceUse::who)
                                .thenComparing(ResourceUse::tenant))
                .toList();
    }

    private static String cell(final ResourceShare share, final ResourceUse.Figures figures) {
        if (figures == null) {
            return "-";
        }
        final String held = figure(share, figures.held());
        return figures.limit() < 0 ? held : held + "/" + figure(share, figures.limit());
    }

    private static String figure(final ResourceShare share, final long value) {
        if (value < 0) {
            return "-";
        }
        return share.isSize() ? Quantity.formatSize(value) : Long.toString(value);
    }

    private static String refusals(final ResourceUse use) {
        final StringJoiner refusals = new StringJoiner(", ").setEmptyValue("-");
        use.shares()
                .forEach(
                        (key, figures) -> {
                            if (figures.refused() > 0) {
                                refusals.add(key + " " + figures.refused());
                            }
                        });
        return refusals.toString();
    }

    /** The same for programs: null stands for what there is not. */
    static List<Map<String, Object>> report(final ResourceUses uses) {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (final ResourceUse use : sorted(uses)) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("who", use.who());
            row.put("tenant", use.tenant().isEmpty() ? null : use.tenant());
            use.shares()
                    .forEach(
                            (key, figures) -> {
                                final Map<String, Object> share = new LinkedHashMap<>();
                                share.put("held", orNull(figures.held()));
                                share.put("limit", orNull(figures.limit()));
                                share.put("refused", figures.refused());
                                row.put(key, share);
                            });
            rows.add(row);
        }
        return rows;
    }

    private static Long orNull(final long figure) {
        return figure < 0 ? null : figure;
    }
}
