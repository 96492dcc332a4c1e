package io.hxb.tool.sim.paper;

import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The finished curves of a paper, one a line in a file, so that a run that is interrupted keeps
 * them and the next one goes on from there. Any thread may add.
 */
public final class CurveStore {
    private static final String KEY = "curve";
    private static final String POINTS = "points";

    private final Path file;
    private final Map<String, List<CurvePoint>> curves = new HashMap<>();

    private CurveStore(final Path file) {
        this.file = file;
    }

    /** Keeps nothing. */
    public static CurveStore none() {
        return new CurveStore(null);
    }

    /**
     * Keeps curves in a file, and has those that are in it already.
     *
     * @throws ToolException if the file has something else.
     */
    public static CurveStore in(final Path file) throws IOException {
        final CurveStore store = new CurveStore(file);
        if (Files.exists(file)) {
            final String text = GraphFile.text(file.toString());
            // A line without its end was being written when the power failed.
            final String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            int number = 0;
            for (final String line : whole.lines().toList()) {
                number++;
                store.read(line, file + ":" + number);
            }
            if (whole.length() < text.length()) {
                Files.writeString(file, whole);
            }
        }
        return store;
    }

    private void read(final String line, final String where) {
        final Map<?, ?> entry = Json.parse(line, Map.class, where);
        if (!(entry.get(KEY) instanceof String key)
                || !(entry.get(POINTS) instanceof List<?> points)) {
            throw new ToolException(where + " is not a curve; delete the file to start afresh");
        }
        try {
            curves.put(key, points.stream().map(point -> point((Map<?, ?>) point)).toList());
        } catch (final ClassCastException | NullPointerException e) {
            throw new ToolException(
                    where + " has a point without its numbers; delete the file to start afresh", e);
        }
    }

    private static CurvePoint point(final Map<?, ?> fields) {
        return new CurvePoint(
                number(fields, "load"),
                number(fields, "accepted"),
                number(fields, "latency"),
                number(fields, "hops"),
                Boolean.TRUE.equals(fields.get("saturated")));
    }

    private static double number(final Map<?, ?> fields, final String key) {
        return ((Number) fields.get(key)).doubleValue();
    }

    /** The points of a curve, or null when it is not there. */
    synchronized List<CurvePoint> find(final String key) {
        return curves.get(key);
    }

    /** Keeps a curve. */
    synchronized void add(final String key, final List<CurvePoint> points) {
        curves.put(key, points);
        if (file == null) {
            return;
        }
        final Map<String, Object> entry = new LinkedHashMap<>();
        entry.put(KEY, key);
        entry.put(POINTS, points.stream().map(CurveStore::fields).toList());
        try {
            Files.writeString(
                    file,
                    Json.line(entry) + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot keep a curve in " + file, e);
        }
    }

    private static Map<String, Object> fields(final CurvePoint point) {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("load", point.load());
        fields.put("accepted", point.accepted());
        fields.put("latency", point.latency());
        fields.put("hops", point.hops());
        fields.put("saturated", point.isSaturated());
        return fields;
    }

    /** Curves that there are. */
    public synchronized int size() {
        return curves.size();
    }

    /** Removes the file, when the tables are complete. */
    public void remove() throws IOException {
        if (file != null) {
            Files.deleteIfExists(file);
        }
    }
}
