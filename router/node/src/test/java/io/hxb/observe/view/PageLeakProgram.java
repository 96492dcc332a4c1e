package io.hxb.observe.view;

import io.hxb.observe.live.LinkCondition;
import io.hxb.topology.Shape;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Keeps the page open in a browser, and shows what the page and the server have after each five
 * minutes: to see whether something is left behind. Every link of 16 nodes changes each second and
 * one fails and recovers every 4 s; nodes and links are opened and closed; the page loses its
 * connection every minute, is frozen every three minutes for 20 s, and the server is restarted in
 * minutes 16 and 46. The server is in this process, with the thread that drives the browser. Used
 * by one thread.
 */
final class PageLeakProgram {
    private static final long STEP_S = 2;
    private static final long STEPS_PER_MINUTE = 60 / STEP_S;
    private static final int FROZEN_STEPS = 10;
    private static final int SAMPLE_MINUTES = 5;
    private static final int FREEZE_MINUTES = 3;
    private static final int NODES = 16;
    private static final List<String> TABS =
            List.of("attention", "links", "traffic", "timeline", "result");

    private final Browser browser;
    private final GeneratedNetwork network = new GeneratedNetwork(Shape.parse("4x4"), 3);
    private PageServer server = new PageServer(network, "r0", 0);

    private PageLeakProgram(final Browser browser) {
        this.browser = browser;
        browser.size(1_300, 900, false);
        browser.open(server.url());
        browser.await("window.hxb && hxb.model.isThere && hxb.model.links[0].in_frames_per_s");
        // Otherwise this process would remember each request of the page.
        browser.call("Network.disable", Map.of());
        browser.call("Performance.enable", Map.of());
    }

    /**
     * Runs it.
     *
     * @param words how many minutes.
     */
    public static void main(final String... words) throws IOException {
        final int minutes = Integer.parseInt(words[0]);
        try (Browser browser = new Browser()) {
            new PageLeakProgram(browser).run(minutes);
        }
    }

    private void run(final int minutes) throws IOException {
        System.out.println(
                "| minute | JS heap kB | DOM nodes | listeners | server heap kB | descriptors |"
                        + " threads |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- |");
        final long beginNs = System.nanoTime();
        for (long step = 0; step <= minutes * STEPS_PER_MINUTE; step++) {
            pauseUntil(beginNs + TimeUnit.SECONDS.toNanos(STEP_S * step));
            if (step % STEPS_PER_MINUTE == 0) {
                everyMinute((int) (step / STEPS_PER_MINUTE));
            }
            fail(step);
            final long minute = step / STEPS_PER_MINUTE;
            final boolean isFreezing = minute % FREEZE_MINUTES == 1;
            if (isFreezing && step % STEPS_PER_MINUTE == FROZEN_STEPS) {
                freeze("frozen");
            } else if (isFreezing && step % STEPS_PER_MINUTE == 2 * FROZEN_STEPS) {
                freeze("active");
            } else if (!isFreezing || step % STEPS_PER_MINUTE > 2 * FROZEN_STEPS) {
                look(step);
            }
        }
        server.close();
    }

    private void everyMinute(final int minute) throws IOException {
        if (minute % SAMPLE_MINUTES == 0) {
            sample(minute);
        }
        if (minute % 30 == 16) {
            final int port = server.port();
            server.close();
            server = new PageServer(network, "r" + minute, port);
        } else if (minute > 0) {
            browser.evaluate("hxb.stream.source && hxb.stream.lose()");
        }
    }

    private void fail(final long step) {
        network.set(
                (int) (step / 2 % NODES),
                "x.1",
                step % 2 == 0 ? LinkCondition.FAILED : LinkCondition.GOOD);
    }

    private void freeze(final String state) {
        browser.call("Page.setWebLifecycleState", Map.of("state", state));
    }

    private void look(final long step) {
        switch ((int) (step % 5)) {
            case 0 -> browser.evaluate("hxb.open(" + step % NODES + ")");
            case 1 -> browser.evaluate("hxb.open(" + step % NODES + ", 'y.1')");
            case 2 ->
                    browser.evaluate(
                            "document.getElementById('tab-"
                                    + TABS.get((int) (step / 5 % TABS.size()))
                                    + "').click()");
            case 3 -> browser.evaluate("document.getElementById('theme').click()");
            default -> browser.press("Escape");
        }
    }

    // The same is shown each time.
    private void sample(final int minute) throws IOException {
        browser.await("document.getElementById('connection').dataset.state === 'live'");
        browser.evaluate("document.querySelector('#detail:not([hidden]) button')?.click()");
        browser.press("Escape");
        browser.evaluate("document.getElementById('tab-timeline').click()");
        browser.evaluate("new Promise(done => setTimeout(done, 500))");
        browser.call("HeapProfiler.collectGarbage", Map.of());
        browser.call("HeapProfiler.collectGarbage", Map.of());
        final Map<String, Double> metrics = new HashMap<>();
        for (final JsonNode metric :
                browser.call("Performance.getMetrics", Map.of()).get("metrics")) {
            metrics.put(metric.get("name").asString(), metric.get("value").asDouble());
        }
        System.gc();
        System.out.printf(
                Locale.ROOT,
                "| %d | %.0f | %.0f | %.0f | %d | %d | %d |%n",
                minute,
                metrics.get("JSHeapUsedSize") / 1e3,
                metrics.get("Nodes"),
                metrics.get("JSEventListeners"),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1_000,
                descriptors(),
                ManagementFactory.getThreadMXBean().getThreadCount());
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    private static void pauseUntil(final long endNs) {
        long leftNs = endNs - System.nanoTime();
        while (leftNs > 0) {
            LockSupport.parkNanos(leftNs);
            leftNs = endNs - System.nanoTime();
        }
    }
}
