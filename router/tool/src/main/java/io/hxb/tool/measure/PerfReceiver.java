package io.hxb.tool.measure;

import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterReader;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.node.service.StreamCounts;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmStatus;
import io.hxb.pm.stream.wire.PortProtocol;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What receives measured messages at one node: a context for those that come as one, and the next
 * one for longer messages, each with a thread of its own. Owned by the thread that opens it.
 */
final class PerfReceiver implements AutoCloseable {
    private static final long LOOK_NS = 20_000_000L;

    /** A thread that spins rests when so long nothing has come: it may be in the others' way. */
    private static final long SPIN_NS = 100_000_000L;

    private static final long REST_NS = 1_000_000L;
    private static final long ANSWER_NS = 10_000_000_000L;

    private final int node;
    private final boolean isSpinning;
    private final Half frames;
    private final Half longs;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isClosed;

    /** One context with what takes its messages. Owned by one thread. */
    interface Half {
        /** The context, which the caller closes. */
        PmContext context();

        /** Takes what has arrived, a bounded amount; negative if nothing can arrive any more. */
        int poll();

        /** Waits until something has arrived. */
        void await(long timeoutNs);
    }

    private PerfReceiver(
            final int node, final boolean isSpinning, final Half frames, final Half longs) {
        this.node = node;
        this.isSpinning = isSpinning;
        this.frames = frames;
        this.longs = longs;
    }

    /**
     * Opens two contexts of a node that are free; nothing is taken before {@link #start}.
     *
     * @throws ToolException if there are none.
     */
    static PerfReceiver open(final Cluster cluster, final int node) throws IOException {
        final PmDevice device = cluster.device(node);
        final LoopConfig loop = cluster.config().loop();
        final PmContextOptions options = ContextWaiting.options(loop);
        final long nodePid = pid(cluster.config().countersPath(node));
        final long pid = ProcessHandle.current().pid();
        final PmContext[] pair = openPair(device, options);
        return new PerfReceiver(
                node,
                loop.waiting() == LoopConfig.Waiting.SPIN,
                new FrameReceiver(pair[0], new StreamCounts(pid, nodePid)),
                new LongReceiver(pair[1], new StreamCounts(pid, nodePid)));
    }

    private static long pid(final Path counters) throws IOException {
        if (!Files.exists(counters)) {
            return 0;
        }
        try (CounterReader reader = CounterReader.open(counters)) {
            return reader.pid();
        }
    }

    // From the end, as programs of users begin with the first ones.
    private static PmContext[] openPair(final PmDevice device, final PmContextOptions options)
            throws IOException {
        IOException last = new IOException("the node has no contexts for applications");
        for (int id = device.contextCount() - 2; id > RunMeasurement.CONTEXT; id--) {
            PmContext first = null;
            try {
                first = device.openContext(id, options);
                return new PmContext[] {first, device.openContext(id + 1, options)};
            } catch (final IOException e) {
                last = e;
                if (first != null) {
                    first.close();
                }
                if (!device.isNodeAlive()) {
                    break;
                }
            }
        }
        throw new ToolException(
                "node " + device.nodeId() + " has no two contexts to receive by: " + last, last);
    }

    /** Node id. */
    int node() {
        return node;
    }

    /** The context for messages that come as one; the next one is for longer messages. */
    int context() {
        return frames.context().contextId();
    }

    /**
     * Has those of other machines find this one, until it ends. Before {@link #start}.
     *
     * @throws ToolException if another one does so.
     */
    void listen() {
        final int status =
                ports(new MeasurementExchange(frames.context()), PortProtocol.LISTEN, node)[0];
        if (status != PortProtocol.OK) {
            throw new ToolException(
                    status == PortProtocol.IN_USE
                            ? "'hxb perf --receive' runs at node " + node + " already"
                            : "node " + node + " gives no port: status " + status);
        }
    }

    /** The context of the receiver that listens at a node; 0 if there is none. */
    static int find(final PmContext context, final int node) {
        final int[] reply = ports(new MeasurementExchange(context), PortProtocol.LOOKUP, node);
        return reply[0] == PortProtocol.OK ? reply[1] : ServiceProtocol.CONTEXT;
    }

    /** Asks a node about the port of receivers; status and value. */
    private static int[] ports(final MeasurementExchange exchange, final int tag, final int node) {
        final int bytes = PortProtocol.REQUEST_BYTES;
        final int slot = exchange.claim(node, PortProtocol.CONTEXT, bytes, ANSWER_NS);
        PortProtocol.request(exchange.context().sendAddress(slot), 1, ServiceProtocol.PERF_PORT);
        exchange.send(slot, bytes, tag);
        while (exchange.receive(ANSWER_NS)) {
            final var message = exchange.message();
            final boolean isReply =
                    message.tag() == PortProtocol.REPLY
                            && message.sourceNode() == node
                            && message.lengthBytes() == PortProtocol.REPLY_BYTES;
            final int[] reply =
                    isReply
                            ? new int[] {
                                PortProtocol.status(message.address()),
                                PortProtocol.value(message.address())
                            }
                            : null;
            exchange.release();
            if (isReply) {
                return reply;
            }
        }
        throw new ToolException("node " + node + " does not answer: see hxb stat");
    }

    /**
     * Takes what arrives from now on.
     *
     * @param onFailure called, by the thread that notices, if nothing can arrive any more.
     */
    void start(final Consumer<String> onFailure) {
        for (final Half half : List.of(frames, longs)) {
            final Thread thread =
                    new Thread(() -> run(half, onFailure), "hxb-perf-receive-" + node);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void run(final Half half, final Consumer<String> onFailure) {
        long lastNs = System.nanoTime();
        while (!isClosed) {
            final int work = half.poll();
            if (work < 0) {
                if (!isClosed) {
                    onFailure.accept(
                            "node "
                                    + node
                                    + ": "
                                    + PmStatus.name(work)
                                    + " "
                                    + half.context().closeReason());
                }
                return;
            }
            if (!isSpinning) {
                if (work == 0) {
                    half.await(LOOK_NS);
                }
            } else if (work > 0) {
                lastNs = System.nanoTime();
            } else if (System.nanoTime() - lastNs < SPIN_NS) {
                half.await(REST_NS);
            } else {
                LockSupport.parkNanos(REST_NS);
            }
        }
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            for (final Thread thread : threads) {
                thread.join();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        frames.context().close();
        longs.context().close();
    }
}
