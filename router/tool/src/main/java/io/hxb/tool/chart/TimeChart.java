package io.hxb.tool.chart;

import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Quantities over time, with named moments. Stateless. */
public final class TimeChart {
    private static final int WIDTH = 1100;
    private static final int HEIGHT = 520;

    private TimeChart() {}

    /**
     * Draws curves.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     * @param quantity what is drawn, for the axis.
     * @param sampleS seconds from sample to sample.
     * @param curves samples by name, in the order of the legend.
     * @param marks moments in seconds, and what happened.
     */
    public static void draw(
            final Path file,
            final String title,
            final String quantity,
            final double sampleS,
            final Map<String, double[]> curves,
            final Map<Double, String> marks)
            throws IOException {
        ChartFile.withoutScreen();
        final XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle("seconds")
                        .yAxisTitle(quantity)
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setYAxisMin(0.0);
        double top = 0;
        for (final Map.Entry<String, double[]> curve : curves.entrySet()) {
            final double[] times = new double[curve.getValue().length];
            Arrays.setAll(times, i -> (i + 0.5) * sampleS);
            chart.addSeries(curve.getKey(), times, curve.getValue()).setMarker(SeriesMarkers.NONE);
            top = Math.max(top, Arrays.stream(curve.getValue()).max().orElse(0));
        }
        chart.getStyler().setYAxisMax(top * 1.2);
        int height = 0;
        for (final Map.Entry<Double, String> mark : marks.entrySet()) {
            chart.addAnnotation(new AnnotationLine(mark.getKey(), true, false));
            chart.addAnnotation(
                    new AnnotationText(
                            mark.getValue(),
                            mark.getKey(),
                            top * (1.15 - 0.06 * (height++ % 2)),
                            false));
        }
        ChartFile.write(chart, file);
    }
}
