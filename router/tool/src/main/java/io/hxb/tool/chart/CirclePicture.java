package io.hxb.tool.chart;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A graph as a picture: its nodes in a circle, the first one on top. Stateless. */
public final class CirclePicture {
    private static final int MIN_RADIUS = 150;
    private static final int MARGIN = 130;
    private static final int TOP = 40;
    private static final double DISC = 14;
    private static final double SPACE = 3.5 * DISC;
    private static final int FONT_SIZE = 11;
    private static final int MAX_LABELS = 60;
    private static final double LETTER = 0.55 * FONT_SIZE;
    private static final float MAX_WIDTH = 8;

    private CirclePicture() {}

    /**
     * A node. Immutable.
     *
     * @param name in its disc, a few letters.
     * @param label beside it.
     * @param isFilled whether its disc is coloured.
     */
    public record Point(String name, String label, boolean isFilled) {}

    /**
     * An edge. Immutable.
     *
     * @param one position of a node in their list.
     * @param other likewise.
     * @param width 1 or more.
     * @param label at its middle; empty for none.
     */
    public record Line(int one, int other, int width, String label) {}

    /**
     * Draws a graph as SVG. Edges of more than {@value #MAX_LABELS} have no labels.
     *
     * @param title above the picture.
     */
    public static void draw(
            final Path file, final String title, final List<Point> points, final List<Line> lines)
            throws IOException {
        ChartFile.withoutScreen();
        final double radius = Math.max(MIN_RADIUS, points.size() * SPACE / (2 * Math.PI));
        final double size = 2 * (radius + MARGIN);
        final double[] xs = new double[points.size()];
        final double[] ys = new double[points.size()];
        for (int i = 0; i < xs.length; i++) {
            final double angle = 2 * Math.PI * i / xs.length - Math.PI / 2;
            xs[i] = size / 2 + radius * Math.cos(angle);
            ys[i] = TOP + size / 2 + radius * Math.sin(angle);
        }
        final VectorGraphics2D picture = new VectorGraphics2D();
        picture.setColor(Color.WHITE);
        picture.fillRect(0, 0, (int) size, (int) size + TOP);
        picture.setColor(Color.BLACK);
        picture.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE + 3));
        picture.drawString(title, MARGIN / 4, TOP / 2);
        picture.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE));
        for (final Line line : lines) {
            drawLine(picture, line, xs, ys);
        }
        if (lines.size() <= MAX_LABELS) {
            for (final Line line : lines) {
                // Nearer to one end, so that labels of lines through the middle lie apart.
                final double x = 0.6 * xs[line.one] + 0.4 * xs[line.other];
                final double y = 0.6 * ys[line.one] + 0.4 * ys[line.other];
                picture.drawString(line.label, (float) x + 4, (float) y - 3);
            }
        }
        for (int i = 0; i < xs.length; i++) {
            drawPoint(picture, points.get(i), xs[i], ys[i], xs[i] < size / 2 - 1);
        }
        try (OutputStream stream = Files.newOutputStream(file)) {
            new SVGProcessor()
                    .getDocument(picture.getCommands(), new PageSize(size, size + TOP))
                    .writeTo(stream);
        }
    }

    private static void drawLine(
            final VectorGraphics2D picture,
            final Line line,
            final double[] xs,
            final double... ys) {
        picture.setColor(Color.GRAY);
        picture.setStroke(new BasicStroke(Math.min(MAX_WIDTH, 1.5f * line.width)));
        picture.draw(new Line2D.Double(xs[line.one], ys[line.one], xs[line.other], ys[line.other]));
        picture.setColor(Color.BLACK);
    }

    private static void drawPoint(
            final VectorGraphics2D picture,
            final Point point,
            final double x,
            final double y,
            final boolean isLeft) {
        final Ellipse2D disc = new Ellipse2D.Double(x - DISC, y - DISC, 2 * DISC, 2 * DISC);
        picture.setColor(point.isFilled ? new Color(198, 224, 255) : Color.WHITE);
        picture.fill(disc);
        picture.setColor(Color.BLACK);
        picture.setStroke(new BasicStroke(1));
        picture.draw(disc);
        final double half = LETTER * point.name.length() / 2;
        picture.drawString(point.name, (float) (x - half), (float) (y + FONT_SIZE / 3.0));
        final double beside = isLeft ? x - DISC - 4 - LETTER * point.label.length() : x + DISC + 4;
        picture.drawString(point.label, (float) beside, (float) (y + FONT_SIZE / 3.0));
    }
}
