package io.hxb.observe.view;

import io.hxb.config.ClusterConfig;
import io.hxb.observe.ResourceRequest;
import io.hxb.observe.Response;
import io.hxb.observe.Viewer;
import io.hxb.observe.live.FlowClients;
import io.hxb.observe.live.FlowReport;
import io.hxb.pm.attach.FlowListing;
import io.hxb.pm.attach.ListedFlow;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers who talks to whom on the nodes of this machine: {@code docs/reference/json.md}. Nodes are
 * asked by a thread of its own, since the server's must not wait for them; any thread may call it.
 *
 * <p>The last answer is given for a second to all who may see the same, and at most 16 requests
 * wait, so that those who look cost a node no more than a list in a second for each kind of view.
 * Connections to nodes stay open while somebody looks.
 */
public final class FlowView {
    private static final Logger LOGGER = LoggerFactory.getLogger(FlowView.class);
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int MAX_WAITING = 16;
    private static final int MAX_NODES = 64;
    private static final long FRESH_NS = 1_000_000_000L;
    private static final long IDLE_NS = 60_000_000_000L;

    private final ClusterConfig config;
    private final ScheduledThreadPoolExecutor worker;
    private final AtomicInteger waiting = new AtomicInteger();
    private final FlowClients clients;
    private final Map<Question, Answer> fresh = new HashMap<>();
    private long askedNs;

    /** True while it is planned to close connections that nobody needs any more. */
    private boolean isLookedAfter;

    private record Question(String viewer, int node) {}

    private static final class Answer {
        private final long timeNs;
        private final byte[] json;

        Answer(final long timeNs, final byte[] json) {
            this.timeNs = timeNs;
            this.json = json;
        }
    }

    private record NodeFlow(int node, ListedFlow flow) {}

    /** Answers for the nodes of a cluster; asks none before somebody looks. */
    public FlowView(final ClusterConfig config) {
        this.config = config;
        clients = new FlowClients(config);
        worker =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("hxb-flows").factory());
        worker.setKeepAliveTime(2 * IDLE_NS, TimeUnit.NANOSECONDS);
        worker.allowCoreThreadTimeOut(true);
    }

    /** Answers a request; does not block. */
    public void answer(final ResourceRequest request, final Response response) {
        final int node;
        try {
            node = node(request);
        } catch (final IllegalArgumentException e) {
            response.send(400, "text/plain; charset=utf-8", "the query is malformed\n");
            return;
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            response.header("Retry-After", "1")
                    .send(
                            503,
                            "text/plain; charset=utf-8",
                            "as many ask as may: try again later\n");
            return;
        }
        try {
            worker.execute(() -> answer(request.viewer(), node, response));
        } catch (final RejectedExecutionException e) {
            waiting.decrementAndGet();
            throw e;
        }
    }

    /** The node that is asked for; -1 for all. */
    private int node(final ResourceRequest request) {
        final String text = request.query().getOrDefault("node", "");
        if (text.isEmpty()) {
            return -1;
        }
        if (!text.matches("\\d{1,7}") || Integer.parseInt(text) >= config.shape().nodeCount()) {
            throw new IllegalArgumentException("there is no such node");
        }
        return Integer.parseInt(text);
    }

    private void answer(final Viewer viewer, final int node, final Response response) {
        try {
            response.send(200, "application/json", answer(viewer, node));
        } catch (final RuntimeException e) {
            LOGGER.warn("flows cannot be listed", e);
            response.send(500, "text/plain; charset=utf-8", "the server failed: see its log\n");
        } finally {
            waiting.decrementAndGet();
        }
    }

    private byte[] answer(final Viewer viewer, final int node) {
        final long nowNs = System.nanoTime();
        fresh.values().removeIf(answer -> nowNs - answer.timeNs > FRESH_NS);
        final Question question = new Question(viewer.toString(), node);
        final Answer known = fresh.get(question);
        if (known != null) {
            return known.json;
        }
        final byte[] json = MAPPER.writeValueAsBytes(ask(viewer, node));
        if (fresh.size() < MAX_WAITING) {
            fresh.put(question, new Answer(System.nanoTime(), json));
        }
        askedNs = System.nanoTime();
        if (!isLookedAfter) {
            isLookedAfter = true;
            lookLater();
        }
        return json;
    }

    private void lookLater() {
        final var ignored = worker.schedule(this::closeIdle, IDLE_NS, TimeUnit.NANOSECONDS);
    }

    private void closeIdle() {
        if (System.nanoTime() - askedNs < IDLE_NS) {
            lookLater();
        } else {
            isLookedAfter = false;
            clients.close();
            fresh.clear();
        }
    }

    private Map<String, Object> ask(final Viewer viewer, final int node) {
        final boolean isPublic = !viewer.isOperator() && viewer.uid().isEmpty();
        final List<Integer> asked =
                node >= 0
                        ? List.of(node)
                        : config.nodesWithSocket().stream().limit(MAX_NODES).toList();
        final List<Map<String, Object>> nodes = new ArrayList<>();
        final List<NodeFlow> flows = new ArrayList<>();
        boolean isOk = true;
        for (final int each : isPublic ? List.<Integer>of() : asked) {
            final Map<String, Object> one = new LinkedHashMap<>();
            one.put("node", each);
            try {
                final FlowListing listing = list(each, viewer);
                listing.flows().forEach(flow -> flows.add(new NodeFlow(each, flow)));
                one.put("total", listing.total());
            } catch (final IOException e) {
                isOk = false;
                one.put("problem", e.getMessage());
            }
            nodes.add(one);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk);
        report.put("viewer", viewer.toString().toLowerCase(Locale.ROOT));
        report.put("time_ms", System.currentTimeMillis());
        report.put("nodes", nodes);
        report.put("flows", describe(flows));
        return report;
    }

    private List<Map<String, Object>> describe(final List<NodeFlow> flows) {
        final Map<Integer, FlowReport> reports = new HashMap<>();
        return flows.stream()
                .sorted(Comparator.comparing(NodeFlow::flow, ListedFlow.BUSIEST_FIRST))
                .limit(FlowListing.MAX_FLOWS)
                .map(
                        each -> {
                            final Map<String, Object> one = new LinkedHashMap<>();
                            one.put("node", each.node);
                            one.putAll(
                                    reports.computeIfAbsent(
                                                    each.node, id -> new FlowReport(config, id))
                                            .of(each.flow));
                            return one;
                        })
                .toList();
    }

    private FlowListing list(final int node, final Viewer viewer) throws IOException {
        return clients.list(
                node,
                viewer.isOperator()
                        ? FlowListing.OWN_VIEW
                        : FlowListing.viewOf(viewer.uid().orElseThrow()));
    }
}
