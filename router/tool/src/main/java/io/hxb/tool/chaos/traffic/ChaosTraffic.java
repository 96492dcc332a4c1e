package io.hxb.tool.chaos.traffic;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.ContextWaiting;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Streams between pairs of nodes while their network fails: a thread for each node that sends and
 * for each that receives. Owned by the thread that made it.
 */
public final class ChaosTraffic implements AutoCloseable {
    /** Context of every node that receives. */
    static final int RECEIVER_CONTEXT = 3;

    private static final int FIRST_SENDER_CONTEXT = 4;
    private static final int SEND_BUFFERS = 1024;
    private static final int FEWEST_SEND_BUFFERS = 64;
    private static final long ALONE_NS = 2_000_000L;
    private static final long SHARED_NS = 200_000L;
    private static final long RECEIVE_NS = 5_000_000L;
    private static final long DRAIN_NS = 10_000_000_000L;
    private static final long LOOK_NS = 2_000_000L;

    private final Map<Pair, StreamSender> senders = new LinkedHashMap<>();
    private final Map<Pair, ReceivedStream> streams = new LinkedHashMap<>();
    private final Map<Integer, NodeEnd> receivers = new HashMap<>();
    private final List<Thread> sending = new ArrayList<>();
    private final List<Thread> receiving = new ArrayList<>();
    private final Map<Long, ReceivedStream> bySource = new HashMap<>();
    private volatile boolean isSendingOver;
    private volatile boolean isReceivingOver;
    private volatile Throwable failure;

    /**
     * Opens all contexts; nothing is sent yet.
     *
     * @param lengthBytes of each message.
     * @param clock when samples begin and how long they are.
     * @throws ToolException if a context cannot be opened.
     */
    public ChaosTraffic(
            final Cluster cluster,
            final List<Pair> pairs,
            final int lengthBytes,
            final SampleClock clock) {
        final Map<Integer, Integer> next = new HashMap<>();
        try {
            for (final Pair pair : pairs) {
                if (!receivers.containsKey(pair.to())) {
                    final PmContextOptions options =
                            ContextWaiting.options(cluster.config().loop()).withSendBuffers(1);
                    final NodeEnd end = new NodeEnd(cluster, pair.to(), RECEIVER_CONTEXT, options);
                    receivers.put(pair.to(), end);
                    end.openFirst();
                }
            }
            for (final Pair pair : pairs) {
                final int context = next.merge(pair.from(), FIRST_SENDER_CONTEXT, (a, b) -> a + 1);
                final NodeEnd end =
                        new NodeEnd(
                                cluster, pair.from(), context, sendOptions(cluster, pairs, pair));
                final StreamSender sender = new StreamSender(end, pair.to(), lengthBytes);
                senders.put(pair, sender);
                end.openFirst();
                final ReceivedStream stream = new ReceivedStream(clock.bins());
                streams.put(pair, stream);
                bySource.put(key(pair.to(), pair.from(), context), stream);
            }
        } catch (final IOException e) {
            close();
            throw new ToolException(e.getMessage(), e);
        }
    }

    private static PmContextOptions sendOptions(
            final Cluster cluster, final List<Pair> pairs, final Pair pair) {
        final long count = pairs.stream().filter(other -> other.from() == pair.from()).count();
        return ContextWaiting.sending(cluster.config().loop())
                .withSendBuffers((int) Math.max(FEWEST_SEND_BUFFERS, SEND_BUFFERS / count));
    }

    private static long key(final int receiver, final int source, final int context) {
        return (long) receiver << 40 | (long) source << 16 | context;
    }

    /** Starts to receive and to send. */
    public void start() {
        receivers.forEach(
                (node, end) ->
                        receiving.add(start("chaos-receive-" + node, () -> receive(node, end))));
        final Map<Integer, List<StreamSender>> byNode = new LinkedHashMap<>();
        senders.forEach(
                (pair, sender) ->
                        byNode.computeIfAbsent(pair.from(), key -> new ArrayList<>()).add(sender));
        byNode.forEach((node, list) -> sending.add(start("chaos-send-" + node, () -> send(list))));
    }

    private Thread start(final String name, final Runnable work) {
        return Thread.ofPlatform()
                .name(name)
                .daemon()
                .start(
                        () -> {
                            try {
                                work.run();
                            } catch (final Throwable e) {
                                failure = e;
                            }
                        });
    }

    /**
     * Stops sending, waits until everything has arrived or the time is up, and ends all threads.
     *
     * @return the result of each pair, in the order given.
     */
    public List<PairCounts> finish() {
        isSendingOver = true;
        sending.forEach(ChaosTraffic::join);
        final long deadlineNs = System.nanoTime() + DRAIN_NS;
        while (!hasAllArrived() && failure == null && System.nanoTime() - deadlineNs < 0) {
            LockSupport.parkNanos(LOOK_NS);
        }
        isReceivingOver = true;
        receiving.forEach(ChaosTraffic::join);
        checkFailure();
        final List<PairCounts> tallies = new ArrayList<>();
        streams.forEach(
                (pair, stream) ->
                        tallies.add(PairCounts.of(pair, senders.get(pair).epochs(), stream)));
        return tallies;
    }

    /**
     * Fails if a thread has.
     *
     * @throws ToolException with what it threw.
     */
    public void checkFailure() {
        if (failure != null) {
            throw new ToolException("the traffic ended by an error: " + failure, failure);
        }
    }

    private static void join(final Thread thread) {
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean hasAllArrived() {
        return senders.entrySet().stream()
                .allMatch(
                        entry -> {
                            final List<StreamEpoch> epochs = entry.getValue().epochs();
                            if (epochs.isEmpty() || epochs.getLast().status() != PmStatus.OK) {
                                return true;
                            }
                            final StreamEpoch last = epochs.getLast();
                            final long arrived = streams.get(entry.getKey()).arrived();
                            return arrived >= ((long) last.number() << 40 | last.sent());
                        });
    }

    private void send(final List<StreamSender> list) {
        int turn = 0;
        while (!isSendingOver) {
            final long nowNs = System.nanoTime();
            int sent = 0;
            for (final StreamSender sender : list) {
                sent += sender.burst(nowNs);
            }
            if (sent == 0) {
                list.get(turn++ % list.size()).await(list.size() == 1 ? ALONE_NS : SHARED_NS);
            }
        }
        final long deadlineNs = System.nanoTime() + DRAIN_NS;
        for (final StreamSender sender : list) {
            while (!sender.isDrained() && System.nanoTime() - deadlineNs < 0) {
                sender.await(LOOK_NS);
            }
            sender.finish();
        }
    }

    private void receive(final int node, final NodeEnd end) {
        final PmMessage message = new PmMessage();
        final PmEvent event = new PmEvent();
        while (!isReceivingOver) {
            final PmContext context = end.open();
            if (context == null) {
                LockSupport.parkNanos(LOOK_NS);
                continue;
            }
            int status = context.receive(message);
            if (status == PmStatus.OK) {
                take(node, message);
                context.release(message);
                continue;
            }
            if (status == PmStatus.EMPTY) {
                while (context.pollEvent(event) == PmStatus.OK) {
                    // What happens to a stream is counted by its sender.
                }
                status = context.await(RECEIVE_NS);
            }
            if (status == PmStatus.NODE_GONE || status == PmStatus.CONTEXT_CLOSED) {
                end.shut();
            }
        }
        end.close();
    }

    private void take(final int node, final PmMessage message) {
        final ReceivedStream stream =
                bySource.get(key(node, message.sourceNode(), message.sourceContext()));
        if (stream != null) {
            stream.onMessage(message, System.nanoTime());
        }
    }

    /** Ends all threads, if {@link #finish} has not. */
    @Override
    public void close() {
        isSendingOver = true;
        isReceivingOver = true;
        sending.forEach(ChaosTraffic::join);
        receiving.forEach(ChaosTraffic::join);
        if (sending.isEmpty()) {
            receivers.values().forEach(NodeEnd::close);
            senders.values().forEach(StreamSender::finish);
        }
    }
}
