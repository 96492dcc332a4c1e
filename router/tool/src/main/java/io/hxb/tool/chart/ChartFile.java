package io.hxb.tool.chart;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.internal.chartpart.Chart;

import java.io.IOException;
import java.nio.file.Path;

/** Writes charts to files. Stateless. */
final class ChartFile {
    private ChartFile() {}

    /** Lets charts be made on machines without a screen; called before the first one is made. */
    static void withoutScreen() {
        System.setProperty("java.awt.headless", "true");
    }

    /**
     * Writes a chart.
     *
     * @param file ends in {@code .png}; anything else becomes an SVG.
     */
    static void write(final Chart<?, ?> chart, final Path file) throws IOException {
        final String name = file.toString();
        if (name.endsWith(".png")) {
            BitmapEncoder.saveBitmap(chart, name, BitmapEncoder.BitmapFormat.PNG);
        } else {
            VectorGraphicsEncoder.saveVectorGraphic(
                    chart, name, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        }
    }
}
