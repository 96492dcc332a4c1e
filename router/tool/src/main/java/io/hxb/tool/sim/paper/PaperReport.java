package io.hxb.tool.sim.paper;

import io.hxb.tool.report.TextTable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Our figures beside the published ones. Owned by one thread. */
public final class PaperReport {
    private final String title;
    private final List<Figure> figures = new ArrayList<>();
    private final List<Shape> shapes = new ArrayList<>();
    private final List<String> interruptions = new ArrayList<>();

    /**
     * One figure.
     *
     * @param published NaN where the paper has none.
     */
    private record Figure(
            String table, String row, double ours, double deviation, double published) {}

    /** Something that must hold of the figures. */
    private record Shape(String sentence, boolean isTrue) {}

    /** Starts without figures. */
    public PaperReport(final String title) {
        this.title = title;
    }

    /** Its title. */
    public String title() {
        return title;
    }

    /**
     * Adds a figure.
     *
     * @param deviation standard deviation over the networks, NaN when there is one.
     * @param published NaN where the paper has none.
     */
    public void add(
            final String table,
            final String row,
            final double ours,
            final double deviation,
            final double published) {
        figures.add(new Figure(table, row, ours, deviation, published));
    }

    /**
     * Adds a claim of the paper about its figures and whether ours confirm it.
     *
     * @param figures those that it rests on; nothing is added while one of them is missing, NaN.
     */
    void require(final String sentence, final boolean isTrue, final double... figures) {
        if (Arrays.stream(figures).noneMatch(Double::isNaN)) {
            require(sentence, isTrue);
        }
    }

    /** Adds a claim of the paper about its figures and whether ours confirm it. */
    public void require(final String sentence, final boolean isTrue) {
        shapes.add(new Shape(sentence, isTrue));
    }

    /** Adds a note that a table lacks curves, because the runs were stopped. */
    void addInterruption(final String table, final long curves, final long all) {
        interruptions.add(table + " has " + curves + " of " + all + " parts");
    }

    /** Whether runs were stopped and something is missing. */
    public boolean isInterrupted() {
        return !interruptions.isEmpty();
    }

    /** Our figure of a row, NaN when there is none. */
    public double ours(final String table, final String row) {
        return figures.stream()
                .filter(figure -> figure.table.equals(table) && figure.row.equals(row))
                .mapToDouble(Figure::ours)
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Whether everything that was required is so. */
    public boolean hasAllShapes() {
        return shapes.stream().allMatch(Shape::isTrue);
    }

    /** All tables as text. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        figures.stream()
                .map(Figure::table)
                .distinct()
                .forEach(table -> text.append(table(table)).append('\n'));
        for (final Shape shape : shapes) {
            text.append(shape.isTrue ? "holds:  " : "FAILS:  ").append(shape.sentence).append('\n');
        }
        for (final String interruption : interruptions) {
            text.append("interrupted: ").append(interruption).append('\n');
        }
        return text.toString();
    }

    private String table(final String name) {
        final TextTable table = new TextTable(name, "ours", "dev", "published", "difference");
        for (final Figure figure : figures) {
            if (figure.table.equals(name)) {
                table.row(
                        figure.row,
                        format(figure.ours),
                        format(figure.deviation),
                        format(figure.published),
                        difference(figure));
            }
        }
        return table.toString();
    }

    private static String format(final double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
    }

    private static String difference(final Figure figure) {
        return Double.isNaN(figure.published)
                ? "-"
                : String.format(
                        Locale.ROOT, "%+.1f %%", 100 * (figure.ours / figure.published - 1));
    }

    /** Everything, for result files. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("paper", title);
        fields.put(
                "figures",
                figures.stream()
                        .map(
                                figure -> {
                                    final Map<String, Object> row = new LinkedHashMap<>();
                                    row.put("table", figure.table);
                                    row.put("row", figure.row);
                                    row.put("ours", figure.ours);
                                    row.put("deviation", finite(figure.deviation));
                                    row.put("published", finite(figure.published));
                                    return row;
                                })
                        .toList());
        fields.put(
                "shapes",
                shapes.stream()
                        .map(
                                shape ->
                                        Map.<String, Object>of(
                                                "sentence", shape.sentence, "holds", shape.isTrue))
                        .toList());
        if (isInterrupted()) {
            fields.put("interrupted", interruptions);
        }
        return fields;
    }

    private static Double finite(final double value) {
        return Double.isFinite(value) ? value : null;
    }
}
