package io.hxb.observe.view;

import io.hxb.counter.NodeFinding;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;

import tools.jackson.databind.JsonNode;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import javax.imageio.ImageIO;

/**
 * Takes the pictures of {@code docs/images}, and measures the page and its server. Used by one
 * thread.
 */
final class PageProgram {
    private static final int LINKS = 3;
    private static final int VIEWERS = 1_000;
    private static final long SECONDS = 10;
    private static final int MAX_COLOURS = 64;
    private static final String WIDE = "16x16x10";

    private PageProgram() {}

    /**
     * Runs it.
     *
     * @param words {@code pictures FOLDER}, {@code results FOLDER FILE...}, {@code frames} or
     *     {@code viewers}.
     */
    public static void main(final String... words) throws IOException {
        switch (words.length == 0 ? "" : words[0]) {
            case "pictures" -> pictures(Path.of(words[1]));
            case "results" -> results(Path.of(words[1]), List.of(words).subList(2, words.length));
            case "frames" -> {
                frames("4x4", LINKS);
                frames(WIDE, 1);
            }
            case "viewers" -> {
                viewers(false);
                viewers(true);
            }
            default ->
                    System.err.println(
                            "usage: pictures FOLDER | results FOLDER FILE... | frames | viewers");
        }
    }

    private static PageServer server(final String shape, final int links) {
        return new PageServer(new GeneratedNetwork(Shape.parse(shape), links), "program", 0);
    }

    private static Browser browser(final PageServer server, final int width, final int height)
            throws IOException {
        final Browser browser = new Browser();
        browser.size(width, height, false);
        browser.open(server.url());
        browser.await("window.hxb && hxb.model.isThere && hxb.model.links[0].in_frames_per_s", 20);
        return browser;
    }

    private static void pictures(final Path folder) throws IOException {
        try (PageServer server = server("4x4", LINKS);
                Browser browser = browser(server, 1_280, 860)) {
            take(browser, folder.resolve("page-light.png"));
            server.network().set(5, "x.1", LinkCondition.FAILED);
            server.network().set(6, "y.0", LinkCondition.DOWN);
            server.network().set(9, "y.2", LinkCondition.WEAK);
            server.network().set(13, NodeState.DEAD);
            server.network()
                    .add(
                            new NodeFinding(
                                    NodeFinding.Kind.HALF_HEARD,
                                    "node 13 is not heard on y.1",
                                    "check its cable"));
            browser.await("hxb.model.timeline.length >= 4", 5);
            browser.evaluate("document.getElementById('tab-attention').click()");
            browser.size(1_280, 1_180, false);
            browser.evaluate("hxb.open(5, 'x.1')");
            browser.await("document.querySelector('#detail details td')", 5);
            take(browser, folder.resolve("page-fault.png"));
            browser.size(1_280, 860, true);
            browser.evaluate("hxb.open(10)");
            take(browser, folder.resolve("page-dark.png"));
        }
        try (PageServer server = server(WIDE, 1);
                Browser browser = browser(server, 1_280, 800)) {
            server.network().set(300, "x.0", LinkCondition.FAILED);
            server.network().set(1_399, NodeState.DEAD);
            browser.await("hxb.model.timeline.length === 2", 5);
            take(browser, folder.resolve("page-2560.png"));
        }
    }

    // The loads of each file of results, and how long the page took to place and to draw them.
    private static void results(final Path folder, final List<String> files) throws IOException {
        try (PageServer server = server("4x4", LINKS);
                Browser browser = browser(server, 1_280, 860)) {
            browser.evaluate("document.getElementById('tab-result').click()");
            for (final String file : files) {
                browser.evaluate("hxb.results.result = null, hxb.results.error = ''");
                browser.choose("#panel input[type=file]", Path.of(file));
                browser.await("hxb.results.result || hxb.results.error", 60);
                final JsonNode ms =
                        browser.evaluate(
                                "(() => { if (!hxb.loads.shown) { return [-1, -1]; } const begin ="
                                        + " performance.now(); hxb.loads.draw(); const drawn ="
                                        + " performance.now(); delete hxb.loads.shown.graph;"
                                        + " hxb.results.show(); return [drawn - begin,"
                                        + " performance.now() - drawn].map(ms => ms * 1e3); })()");
                System.out.printf(
                        Locale.ROOT,
                        "%s: drawn in %.1f ms, placed in %.1f ms %s%n",
                        file,
                        ms.get(0).asDouble() / 1e3,
                        ms.get(1).asDouble() / 1e3,
                        browser.evaluate("hxb.results.error").asString());
                final String name = Path.of(file).getFileName().toString();
                take(browser, folder.resolve("loads-" + name.replaceAll("\\.json$", ".png")));
            }
        }
    }

    private static void take(final Browser browser, final Path file) throws IOException {
        // Two of its charts' intervals.
        browser.evaluate("new Promise(done => setTimeout(done, 4500))");
        final BufferedImage picture = ImageIO.read(new ByteArrayInputStream(browser.screenshot()));
        ImageIO.write(withFewColours(picture), "png", file.toFile());
        System.out.println(file + " " + Files.size(file) + " bytes");
    }

    // A palette: a third of the bytes.
    private static BufferedImage withFewColours(final BufferedImage picture) {
        final int width = picture.getWidth();
        final int[] pixels = picture.getRGB(0, 0, width, picture.getHeight(), null, 0, width);
        final int[] colours = palette(pixels);
        final Map<Integer, Integer> nearest = new HashMap<>();
        final BufferedImage small =
                new BufferedImage(
                        width,
                        picture.getHeight(),
                        BufferedImage.TYPE_BYTE_INDEXED,
                        new IndexColorModel(
                                8, colours.length, colours, 0, false, -1, DataBuffer.TYPE_BYTE));
        for (int i = 0; i < pixels.length; i++) {
            final int colour = nearest.computeIfAbsent(pixels[i], pixel -> nearest(pixel, colours));
            small.getRaster().setSample(i % width, i / width, 0, colour);
        }
        return small;
    }

    // The colours that are used most, then those that differ most from them.
    private static int[] palette(final int[] pixels) {
        final Map<Integer, Integer> counts = new HashMap<>();
        for (final int pixel : pixels) {
            counts.merge(pixel, 1, Integer::sum);
        }
        final List<Integer> known =
                counts.entrySet().stream()
                        .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                        .map(Map.Entry::getKey)
                        .toList();
        int[] colours = known.stream().limit(MAX_COLOURS / 2).mapToInt(Integer::intValue).toArray();
        while (colours.length < Math.min(MAX_COLOURS, known.size())) {
            final int[] chosen = colours;
            final int farthest =
                    known.stream()
                            .max(
                                    Comparator.comparingInt(
                                            colour ->
                                                    distance(
                                                            colour,
                                                            chosen[nearest(colour, chosen)])))
                            .orElseThrow();
            colours = Arrays.copyOf(chosen, chosen.length + 1);
            colours[chosen.length] = farthest;
        }
        return colours;
    }

    private static int nearest(final int pixel, final int[] colours) {
        int best = 0;
        for (int i = 1; i < colours.length; i++) {
            if (distance(pixel, colours[i]) < distance(pixel, colours[best])) {
                best = i;
            }
        }
        return best;
    }

    private static int distance(final int one, final int other) {
        int sum = 0;
        for (int shift = 0; shift < 24; shift += 8) {
            final int difference = (one >> shift & 0xFF) - (other >> shift & 0xFF);
            sum += difference * difference;
        }
        return sum;
    }

    private static void frames(final String shape, final int links) throws IOException {
        try (PageServer server = server(shape, links);
                Browser browser = browser(server, 1_600, 1_000)) {
            browser.evaluate(
                    "hxb.drawing.frames.length = 0, hxb.stream.bytes = 0, hxb.turns = 0;"
                            + " (function turn() { hxb.turns++; requestAnimationFrame(turn); })()");
            browser.evaluate("new Promise(done => setTimeout(done, " + SECONDS + "000))");
            final JsonNode live =
                    browser.evaluate(
                            "[hxb.stream.bytes, hxb.drawing.frames.map(ms => ms * 1e3),"
                                    + " hxb.turns]");
            System.out.printf(
                    Locale.ROOT,
                    "%s: %.1f kB/s, %.1f frames/s; of what changed: %s%n",
                    shape,
                    live.get(0).asLong() / 1e3 / SECONDS,
                    live.get(2).asDouble() / SECONDS,
                    text(live.get(1)));
            final JsonNode all =
                    browser.evaluate(
                            "new Promise(done => { hxb.drawing.frames.length = 0; const begin ="
                                    + " performance.now(); let n = 0; const step = () => {"
                                    + " hxb.drawing.all = true; hxb.drawing.request(); if (++n <"
                                    + " 150) { requestAnimationFrame(step); } else {"
                                    + " done([(performance.now() - begin) * 1e3 / n,"
                                    + " hxb.drawing.frames.map(ms => ms * 1e3)]); } }; step(); })");
            System.out.printf(
                    Locale.ROOT,
                    "%s: everything drawn again and again: %.1f frames/s; frames: %s%n",
                    shape,
                    1e6 / all.get(0).asLong(),
                    text(all.get(1)));
        }
    }

    private static String text(final JsonNode microseconds) {
        final long[] sorted =
                microseconds
                        .valueStream()
                        .mapToLong(value -> (long) value.asDouble())
                        .sorted()
                        .toArray();
        return String.format(
                Locale.ROOT,
                "%d, median %.1f ms, max %.1f ms",
                sorted.length,
                sorted[sorted.length / 2] / 1e3,
                LongStream.of(sorted).max().orElse(0) / 1e3);
    }

    // The CPU time of the server's thread while viewers read.
    private static void viewers(final boolean isBusy) throws IOException {
        try (PageServer server = server("4x4", LINKS);
                Selector selector = Selector.open()) {
            for (int node = 0; node < 16 && !isBusy; node++) {
                server.network().set(node, NodeState.STOPPED);
            }
            for (int i = 0; i < VIEWERS; i++) {
                final SocketChannel viewer =
                        SocketChannel.open(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), server.port()));
                viewer.write(
                        ByteBuffer.wrap(
                                "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII)));
                viewer.configureBlocking(false);
                viewer.register(selector, SelectionKey.OP_READ);
            }
            read(selector, 3);
            final long before = cpuNs();
            final long bytes = read(selector, SECONDS);
            System.out.printf(
                    Locale.ROOT,
                    "%d viewers, %s: %.2f %% of one CPU, %.1f kB/s for each; %d watch%n",
                    VIEWERS,
                    isBusy ? "every link changes each second" : "nothing changes",
                    (cpuNs() - before) / 1e7 / SECONDS,
                    bytes / 1e3 / SECONDS / VIEWERS,
                    server.live().viewers());
            for (final SelectionKey key : selector.keys()) {
                key.channel().close();
            }
        }
    }

    private static long read(final Selector selector, final long seconds) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long bytes = 0;
        while (System.nanoTime() - endNs < 0) {
            selector.select(100);
            for (final SelectionKey key : selector.selectedKeys()) {
                buffer.clear();
                bytes += Math.max(0, ((SocketChannel) key.channel()).read(buffer));
            }
            selector.selectedKeys().clear();
        }
        return bytes;
    }

    private static long cpuNs() {
        final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (final long id : threads.getAllThreadIds()) {
            final ThreadInfo info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().equals("hxb-observe")) {
                sum += threads.getThreadCpuTime(id);
            }
        }
        return sum;
    }
}
