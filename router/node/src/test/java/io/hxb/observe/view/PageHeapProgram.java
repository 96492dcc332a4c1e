package io.hxb.observe.view;

import io.hxb.topology.Shape;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gives the page ten minutes of events as fast as it takes them, several times, and shows which
 * objects of its heap have become more. What {@link PageLeakProgram} does in an hour takes seconds
 * here; the lists of the page are full before the first comparison. Used by one thread.
 */
final class PageHeapProgram {
    private static final int EVENTS = 600;
    private static final int EVENTS_A_CALL = 2;
    private static final int SHOWN = 25;

    // The functions are compiled once: an expression that is evaluated leaves its source behind.
    private static final String FEED =
            """
            window.feedStep = 0;
            window.feed = async count => {
              const {handlers} = hxb.stream;
              const tabs = ['attention', 'links', 'traffic', 'timeline', 'users', 'result'];
              for (let i = 0; i < count; i++) {
                const step = window.feedStep++;
                const time = hxb.model.timeMs + 1000;
                const {links, nodes} = hxb.model;
                handlers.rates({time_ms: time,
                  nodes: nodes.map(node => [node.node, ...[1, 2, 3, 4].map(() => 1e6 * Math.random())]),
                  links: links.map((link, k) => [k, ...[1, 2, 3, 4, 0].map(() => 1e8 * Math.random())])});
                const link = links[3 * step % links.length];
                const state = link.state === 'good' ? 'failed' : 'good';
                handlers.states({time_ms: time, nodes: [], links: [{index: link.index, state}],
                  timeline: [{time_ms: time, kind: state === 'good' ? 'repair' : 'fault', node: link.node,
                    link: link.link, from: link.state, to: state, reason: 'frames were lost'}]});
                const node = step % nodes.length;
                [() => hxb.open(node), () => hxb.open(node, 'y.1'),
                  () => document.getElementById('tab-' + tabs[step / 5 % 6 | 0]).click(),
                  () => document.getElementById('theme').click(),
                  () => document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))][step % 5]();
                if (step % 30 === 29 && hxb.stream.source) {
                  hxb.stream.lose();
                  hxb.stream.open();
                }
                if (step % 2 === 1) {
                  await new Promise(done => setTimeout(done, 0));
                }
              }
            };
            window.rest = async () => {
              document.querySelector('#detail:not([hidden]) button')?.click();
              document.getElementById('tab-timeline').click();
              await new Promise(done => setTimeout(done, 1500));
            };
            """;

    private final Browser browser;

    private PageHeapProgram(final Browser browser) {
        this.browser = browser;
    }

    /**
     * Runs it.
     *
     * @param words how many ten minutes.
     */
    public static void main(final String... words) throws IOException {
        final GeneratedNetwork network = new GeneratedNetwork(Shape.parse("4x4"), 3);
        try (PageServer server = new PageServer(network, "r0", 0);
                Browser browser = new Browser()) {
            browser.size(1_300, 900, false);
            browser.open(server.url());
            browser.await("window.hxb && hxb.model.isThere && hxb.model.links[0].in_frames_per_s");
            browser.call("Network.disable", Map.of());
            browser.call("Performance.enable", Map.of());
            new PageHeapProgram(browser).run(Integer.parseInt(words[0]));
        }
    }

    private void run(final int rounds) {
        browser.evaluate(FEED);
        System.out.println("| ten minutes | JS heap kB | DOM nodes | listeners | documents |");
        System.out.println("| --- | --- | --- | --- | --- |");
        Map<String, long[]> before = Map.of();
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < EVENTS; i += EVENTS_A_CALL) {
                browser.evaluate("feed(" + EVENTS_A_CALL + ")");
            }
            browser.evaluate("rest()");
            sample(round);
            if (round == 1) {
                before = sizes(browser.heap());
            }
        }
        compare(before, sizes(browser.heap()));
    }

    private void sample(final int round) {
        for (int i = 0; i < 3; i++) {
            browser.call("HeapProfiler.collectGarbage", Map.of());
        }
        final Map<String, Double> metrics = new HashMap<>();
        for (final JsonNode metric :
                browser.call("Performance.getMetrics", Map.of()).get("metrics")) {
            metrics.put(metric.get("name").asString(), metric.get("value").asDouble());
        }
        System.out.printf(
                Locale.ROOT,
                "| %d | %.0f | %.0f | %.0f | %.0f |%n",
                round,
                metrics.get("JSHeapUsedSize") / 1e3,
                metrics.get("Nodes"),
                metrics.get("JSEventListeners"),
                metrics.get("Documents"));
    }

    // Count and bytes by type and name of the objects.
    private static Map<String, long[]> sizes(final JsonNode heap) {
        final JsonNode meta = heap.get("snapshot").get("meta");
        final List<String> fields =
                meta.get("node_fields").valueStream().map(JsonNode::asString).toList();
        final JsonNode types = meta.get("node_types").get(0);
        final JsonNode strings = heap.get("strings");
        final JsonNode nodes = heap.get("nodes");
        final Map<String, long[]> sizes = new TreeMap<>();
        for (int i = 0; i < nodes.size(); i += fields.size()) {
            final String type = types.get(nodes.get(i + fields.indexOf("type")).asInt()).asString();
            final String name =
                    strings.get(nodes.get(i + fields.indexOf("name")).asInt()).asString();
            final String key = type + " " + name.substring(0, Math.min(60, name.length()));
            final long[] size = sizes.computeIfAbsent(key, each -> new long[2]);
            size[0]++;
            size[1] += nodes.get(i + fields.indexOf("self_size")).asLong();
        }
        return sizes;
    }

    private static void compare(final Map<String, long[]> before, final Map<String, long[]> after) {
        final Map<String, long[]> more = new HashMap<>();
        after.forEach(
                (key, size) -> {
                    final long[] old = before.getOrDefault(key, new long[2]);
                    more.put(key, new long[] {size[0] - old[0], size[1] - old[1]});
                });
        System.out.println("| objects | more of them | more bytes |");
        System.out.println("| --- | --- | --- |");
        more.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue()[1], a.getValue()[1]))
                .limit(SHOWN)
                .forEach(
                        entry ->
                                System.out.println(
                                        "| "
                                                + entry.getKey().replace('\n', ' ')
                                                + " | "
                                                + entry.getValue()[0]
                                                + " | "
                                                + entry.getValue()[1]
                                                + " |"));
    }
}
