package io.hxb.bench.flit.output;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Draws charts as the thesis has them. Stateless. */
public final class Plots {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 560;

    private Plots() {}

    /**
     * One curve.
     *
     * @param x accepted traffic of each point.
     * @param y latency of each point, in cycles.
     */
    public record Curve(List<Double> x, List<Double> y) {}

    /**
     * Draws latency against accepted traffic.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     * @param curves by name, in the order of the legend.
     */
    public static void latency(final Path file, final String title, final Map<String, Curve> curves)
            throws IOException {
        System.setProperty("java.awt.headless", "true");
        final XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle("accepted traffic (flits a cycle and host)")
                        .yAxisTitle("latency (cycles)")
                        .build();
        style(chart.getStyler());
        curves.forEach((name, curve) -> chart.addSeries(name, curve.x(), curve.y()));
        write(chart, file);
    }

    /**
     * Draws groups of bars.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     * @param groups names below the groups.
     * @param bars by name, one height for each group.
     */
    public static void bars(
            final Path file,
            final String title,
            final List<String> groups,
            final Map<String, List<Double>> bars)
            throws IOException {
        System.setProperty("java.awt.headless", "true");
        final CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .yAxisTitle("throughput (flits a cycle and host)")
                        .build();
        style(chart.getStyler());
        chart.getStyler().setXAxisLabelRotation(30);
        bars.forEach((name, heights) -> chart.addSeries(name, groups, heights));
        write(chart, file);
    }

    private static void style(final Styler styler) {
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
    }

    private static void write(final Chart<?, ?> chart, final Path file) throws IOException {
        final String name = file.toString();
        if (name.endsWith(".png")) {
            BitmapEncoder.saveBitmap(chart, name, BitmapEncoder.BitmapFormat.PNG);
        } else {
            VectorGraphicsEncoder.saveVectorGraphic(
                    chart, name, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        }
    }
}
