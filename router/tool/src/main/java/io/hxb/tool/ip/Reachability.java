package io.hxb.tool.ip;

import io.hxb.config.ClusterConfig;
import io.hxb.os.NetworkNamespace;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Which nodes answer by their virtual NICs, asked as any program would ask. Stateless. */
final class Reachability {
    private static final int TIMEOUT_MS = 1_000;
    private static final int MAX_THREADS = 16;

    private Reachability() {}

    /**
     * Asks nodes, several at a time.
     *
     * @param from the node whose machine asks.
     * @param nodes to ask by the first address of each.
     * @return whether it answered within a second, by node.
     */
    static Map<Integer, Boolean> of(
            final ClusterConfig config, final int from, final List<Integer> nodes)
            throws IOException {
        final String named = config.netns(from);
        final Boolean[] answers = new Boolean[nodes.size()];
        final AtomicInteger next = new AtomicInteger();
        final List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < Math.min(MAX_THREADS, nodes.size()); i++) {
            final CompletableFuture<Void> ended = new CompletableFuture<>();
            running.add(ended);
            // Each has a thread of its own, since a namespace is that of a thread.
            Thread.ofPlatform()
                    .daemon()
                    .name("ip-probe")
                    .start(() -> ask(config, named, nodes, next, answers, ended));
        }
        running.forEach(CompletableFuture::join);
        final Map<Integer, Boolean> byNode = new TreeMap<>();
        for (int i = 0; i < answers.length; i++) {
            byNode.put(nodes.get(i), answers[i]);
        }
        return byNode;
    }

    private static void ask(
            final ClusterConfig config,
            final String named,
            final List<Integer> nodes,
            final AtomicInteger next,
            final Boolean[] answers,
            final CompletableFuture<Void> ended) {
        try {
            NetworkNamespace.run(
                    named.isEmpty() ? null : named,
                    () -> {
                        int i = next.getAndIncrement();
                        while (i < answers.length) {
                            answers[i] = answers(config, nodes.get(i));
                            i = next.getAndIncrement();
                        }
                        return null;
                    });
            ended.complete(null);
        } catch (final IOException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    private static boolean answers(final ClusterConfig config, final int node) {
        final String address = config.ip().prefixes().getFirst().address(node);
        try {
            return InetAddress.ofLiteral(address).isReachable(TIMEOUT_MS);
        } catch (final IOException e) {
            // No route, or nobody at this address.
            return false;
        }
    }
}
