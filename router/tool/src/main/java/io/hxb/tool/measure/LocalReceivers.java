package io.hxb.tool.measure;

import io.hxb.node.service.ServiceProtocol;
import io.hxb.tool.cluster.Cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Receivers of several nodes in this process. Owned by the thread that makes it. */
public final class LocalReceivers implements Receivers {
    private final List<PerfReceiver> receivers = new ArrayList<>();
    private final AtomicReference<String> problem = new AtomicReference<>();
    private final CountDownLatch end = new CountDownLatch(1);

    /**
     * Opens them and begins to receive.
     *
     * @param isFound whether other machines find them, too.
     */
    public LocalReceivers(
            final Cluster cluster, final Collection<Integer> nodes, final boolean isFound)
            throws IOException {
        try {
            for (final int node : nodes) {
                final PerfReceiver receiver = PerfReceiver.open(cluster, node);
                receivers.add(receiver);
                if (isFound) {
                    receiver.listen();
                }
            }
        } catch (final IOException | RuntimeException e) {
            close();
            throw e;
        }
        receivers.forEach(receiver -> receiver.start(this::fail));
    }

    private void fail(final String text) {
        problem.compareAndSet(null, text);
        end.countDown();
    }

    /** Ends {@link #await} as if a receiver had failed, but without a problem; any thread. */
    public void stop() {
        end.countDown();
    }

    /** Waits until one of them can receive no more, or {@link #stop}. */
    public void await() throws InterruptedException {
        end.await();
    }

    @Override
    public int context(final int node) {
        return receivers.stream()
                .filter(receiver -> receiver.node() == node)
                .mapToInt(PerfReceiver::context)
                .findFirst()
                .orElse(ServiceProtocol.CONTEXT);
    }

    @Override
    public OptionalLong cpuNs() {
        return OptionalLong.empty();
    }

    @Override
    public Optional<String> problem() {
        return Optional.ofNullable(problem.get());
    }

    @Override
    public void close() {
        receivers.forEach(PerfReceiver::close);
    }
}
