package io.hxb.tool.chart;

import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Latency against accepted traffic, as the thesis draws it. Stateless. */
public final class LatencyChart {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 560;

    private LatencyChart() {}

    /**
     * One curve.
     *
     * @param x accepted traffic of each point, in flits a cycle and host.
     * @param y latency of each point, in cycles.
     */
    public record Curve(List<Double> x, List<Double> y) {}

    /**
     * Draws curves.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     * @param curves by name, in the order of the legend.
     */
    public static void draw(final Path file, final String title, final Map<String, Curve> curves)
            throws IOException {
        ChartFile.withoutScreen();
        final XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle("accepted traffic (flits a cycle and host)")
                        .yAxisTitle("latency (cycles)")
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        curves.forEach((name, curve) -> chart.addSeries(name, curve.x(), curve.y()));
        ChartFile.write(chart, file);
    }
}
