package io.hxb.tool.chart;

import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A bar for each of a few names. Stateless. */
public final class BarChart {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 480;

    private BarChart() {}

    /**
     * Draws bars.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     * @param quantity what is drawn, for the axis.
     * @param bars by name, from left to right.
     */
    public static void draw(
            final Path file,
            final String title,
            final String quantity,
            final Map<String, Double> bars)
            throws IOException {
        ChartFile.withoutScreen();
        final CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .yAxisTitle(quantity)
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendVisible(false);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setLabelsVisible(true);
        chart.addSeries(quantity, List.copyOf(bars.keySet()), List.copyOf(bars.values()));
        ChartFile.write(chart, file);
    }
}
