package io.hxb.tool.chart;

import io.hxb.tool.chaos.result.ChaosResult;
import io.hxb.tool.chaos.result.FaultOutcome;
import io.hxb.tool.chaos.traffic.CableMeter;
import io.hxb.tool.chaos.traffic.PairCounts;

import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Throughput over time: a thick line for each pair, a thin one for each of the busiest cables, and
 * a vertical line with its name for each fault, in the manner of figure 5 of the RI2N paper.
 * Stateless.
 */
public final class ThroughputPicture {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 620;
    private static final int MAX_PAIRS = 8;
    private static final int MAX_CABLES = 12;

    /** Cables that carried less than the busiest by this factor only acknowledged. */
    private static final int MIN_PART = 50;

    /**
     * Labels of marks take turns on this number of heights, so that neighbours do not cover each
     * other.
     */
    private static final int HEIGHTS = 4;

    private static final Color MARK = new Color(170, 30, 30);

    private ThroughputPicture() {}

    /**
     * Draws what a run of {@code hxb chaos} has found.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     */
    public static void draw(final Path file, final ChaosResult result) throws IOException {
        ChartFile.withoutScreen();
        final XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title("throughput while links and nodes fail, shape " + result.shape())
                        .xAxisTitle("seconds")
                        .yAxisTitle("MB/s")
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setAnnotationTextFont(new Font(Font.SANS_SERIF, Font.PLAIN, 11));
        chart.getStyler().setAnnotationTextFontColor(MARK);
        chart.getStyler().setAnnotationLineColor(MARK);
        chart.getStyler()
                .setAnnotationLineStroke(
                        new BasicStroke(
                                1.2f,
                                BasicStroke.CAP_BUTT,
                                BasicStroke.JOIN_BEVEL,
                                1,
                                new float[] {5, 4},
                                0));
        double top = 0;
        for (final PairCounts pair : result.pairs().stream().limit(MAX_PAIRS).toList()) {
            final double[] rates = result.megabytes(pair.samples());
            final String name =
                    result.coordinates(pair.pair().from())
                            + " to "
                            + result.coordinates(pair.pair().to());
            line(chart, name, result.sampleNs(), rates, 2f);
            top = Math.max(top, Arrays.stream(rates).max().orElse(0));
        }
        for (final CableMeter.CableSamples cable : busiest(result.cables())) {
            line(
                    chart,
                    cable.cable().format(result.shape()),
                    result.sampleNs(),
                    result.megabytes(cable.toNode()),
                    0.7f);
        }
        // Room for the names of faults.
        chart.getStyler().setYAxisMax(Math.max(1, top * 1.25));
        mark(chart, result.faults(), top);
        ChartFile.write(chart, file);
    }

    private static void line(
            final XYChart chart,
            final String name,
            final long sampleNs,
            final double[] rates,
            final float width) {
        final double[] times = new double[rates.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = (i + 0.5) * sampleNs / 1e9;
        }
        final XYSeries series = chart.addSeries(name, times, rates);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineStyle(new BasicStroke(width));
    }

    private static List<CableMeter.CableSamples> busiest(
            final List<CableMeter.CableSamples> cables) {
        final long most = cables.stream().mapToLong(ThroughputPicture::sum).max().orElse(0);
        return cables.stream()
                .sorted(Comparator.comparingLong(ThroughputPicture::sum).reversed())
                .limit(MAX_CABLES)
                .filter(cable -> sum(cable) * MIN_PART > most)
                .toList();
    }

    private static long sum(final CableMeter.CableSamples cable) {
        return Arrays.stream(cable.toNode().bytes()).sum();
    }

    private static void mark(
            final XYChart chart, final List<FaultOutcome> faults, final double top) {
        int height = 0;
        for (final FaultOutcome fault : faults) {
            chart.addAnnotation(new AnnotationLine(fault.timeS(), true, false));
            chart.addAnnotation(
                    new AnnotationText(
                            fault.action() + " " + fault.target(),
                            fault.timeS(),
                            top * (1.22 - 0.045 * (height++ % HEIGHTS)),
                            false));
        }
    }
}
