package io.hxb.tool.measure;

import io.hxb.node.service.ServiceProtocol;
import io.hxb.tool.report.ToolException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Sends from one node to one receiver or several as fast as they take it. They check every message,
 * and tell at the end what they found. Owned by one thread, except for {@link #acknowledged} and
 * {@link #submitted}.
 */
abstract class PerfSender implements AutoCloseable {
    /** How long a reply may take. */
    static final long ANSWER_NS = 10_000_000_000L;

    private final List<PerfStream> streams = new ArrayList<>();
    // Written by the sending thread, read by watchers.
    private volatile long submitted;
    private volatile long acknowledged;

    /** Adds a receiver. */
    final void add(final PerfStream stream) {
        streams.add(stream);
    }

    /** The streams, in the order in which they were added. */
    final List<PerfStream> streams() {
        return streams;
    }

    /** Has all receivers forget what they counted, and prepares the first messages. */
    final void begin() {
        submitted = 0;
        acknowledged = 0;
        for (final PerfStream stream : streams) {
            stream.onReset(ask(stream, ServiceProtocol.COUNT_RESET));
        }
        prepare();
    }

    /** Writes what is sent first, so that its time does not count. */
    void prepare() {}

    /**
     * Sends until the time is over, or it is stopped. Blocks until then.
     *
     * @param deadlineNs of {@link System#nanoTime()}.
     * @param limitMessages maximum number of messages on each stream.
     */
    abstract void send(long deadlineNs, long limitMessages, BooleanSupplier isStopped);

    /** Waits until everything has arrived at its receiver, and learns what that has counted. */
    final void end() {
        drain();
        for (final PerfStream stream : streams) {
            stream.take(ask(stream, ServiceProtocol.COUNT_REPORT));
        }
    }

    /** Waits until everything is acknowledged. */
    abstract void drain();

    /**
     * Asks a receiver. Blocks until it replies.
     *
     * @return address of the reply, valid until the next request.
     */
    abstract long ask(PerfStream stream, int tag);

    /** Reports how many messages are acknowledged. */
    final void onAcknowledged(final long messages) {
        submitted = sent();
        acknowledged = messages;
    }

    /** Messages that were sent when {@link #acknowledged} was learnt; any thread may ask. */
    final long submitted() {
        return submitted;
    }

    /** Messages that have arrived at their nodes so far; any thread may ask. */
    final long acknowledged() {
        return acknowledged;
    }

    /** All messages sent since the beginning. */
    final long sent() {
        long sum = 0;
        for (int i = 0; i < streams.size(); i++) {
            sum += streams.get(i).sent();
        }
        return sum;
    }

    static ToolException silent(final PerfStream stream) {
        return new ToolException(
                "node " + stream.target() + " does not reply: run hxb stat to see whether it runs");
    }

    static ToolException unacknowledged(final int node) {
        return new ToolException(
                "node " + node + " did not acknowledge everything within 10 s: see hxb stat");
    }

    @Override
    public abstract void close();
}
