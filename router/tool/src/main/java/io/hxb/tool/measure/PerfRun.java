package io.hxb.tool.measure;

import io.hxb.linux.Memory;
import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;
import io.hxb.tool.report.ToolException;

import java.util.ArrayList;
import java.util.List;

/**
 * Measures throughput: one thread sends to the services of other nodes as fast as they take it;
 * they check every message, and report at the end. Owned by the thread that measures; sending
 * allocates nothing, except for what is printed between intervals.
 */
final class PerfRun {
    private static final int BURST = 32;
    private static final long CHECK_TIME_EVERY = 256;
    private static final long IDLE_NS = 200_000;
    private static final long ANSWER_NS = 10_000_000_000L;

    private final List<Stream> streams = new ArrayList<>();
    private final int lengthBytes;
    private final long checkEvery;
    private final MeasurementWatch watch;
    private long bytes;
    private long messages;
    private long lost;
    private long duplicated;
    private long reordered;
    private long corrupt;
    private long durationNs;

    /** One direction of one pair. */
    private static final class Stream {
        private final MeasurementExchange exchange;
        private final int target;
        private final boolean isFirstOfContext;
        private long sent;

        Stream(
                final MeasurementExchange exchange,
                final int target,
                final boolean isFirstOfContext) {
            this.exchange = exchange;
            this.target = target;
            this.isFirstOfContext = isFirstOfContext;
        }
    }

    /**
     * Makes a measurement.
     *
     * @param lengthBytes payload of each message, 4 to the contexts' maximum.
     * @param checkEvery of how many messages one is written and compared whole, 1 or more.
     * @param watch looks at it meanwhile.
     */
    PerfRun(final int lengthBytes, final long checkEvery, final MeasurementWatch watch) {
        if (lengthBytes < MessagePattern.MIN_BYTES) {
            throw new ToolException(
                    "messages carry a sequence number: --size must be 4 or more: " + lengthBytes);
        }
        this.lengthBytes = lengthBytes;
        this.checkEvery = checkEvery;
        this.watch = watch;
    }

    /**
     * Adds a stream of messages.
     *
     * @param context sends it; several streams may share it; closed by the caller.
     * @param target node id of the receiver.
     */
    void add(final PmContext context, final int target) {
        for (final Stream stream : streams) {
            if (stream.exchange.context() == context) {
                streams.add(new Stream(stream.exchange, target, false));
                return;
            }
        }
        streams.add(new Stream(new MeasurementExchange(context), target, true));
    }

    /**
     * Sends until the time is over or the user stops it, waits until everything has arrived, and
     * asks the receivers. Blocks until then.
     *
     * @param sendNs how long to send.
     * @param limitMessages maximum number of messages on each stream.
     */
    void run(final long sendNs, final long limitMessages) {
        for (final Stream stream : streams) {
            ask(stream, ServiceProtocol.COUNT_RESET);
        }
        final long startNs = System.nanoTime();
        watch.begin(startNs);
        send(startNs + sendNs, limitMessages);
        watch.end(System.nanoTime(), acknowledged());
        for (final Stream stream : streams) {
            if (!stream.exchange.drain(ANSWER_NS)) {
                throw new ToolException(
                        "node "
                                + stream.target
                                + " did not acknowledge everything within 10 s: see hxb stat");
            }
        }
        durationNs = System.nanoTime() - startNs;
        for (final Stream stream : streams) {
            final long received = ask(stream, ServiceProtocol.COUNT_REPORT);
            lost += Math.max(0, stream.sent - received);
        }
    }

    private void send(final long deadlineNs, final long limitMessages) {
        long rounds = 0;
        int idle = 0;
        boolean isTimeLeft = true;
        while (isTimeLeft) {
            long sent = 0;
            boolean isDone = true;
            for (int i = 0; i < streams.size(); i++) {
                final Stream stream = streams.get(i);
                sent += burst(stream, limitMessages);
                isDone &= stream.sent >= limitMessages;
            }
            if (isDone) {
                return;
            }
            if (sent == 0) {
                final MeasurementExchange exchange = streams.get(idle++ % streams.size()).exchange;
                exchange.checkEvents();
                exchange.context().awaitSends(IDLE_NS);
            }
            if (sent == 0 || ++rounds % (CHECK_TIME_EVERY / BURST) == 0) {
                final long nowNs = System.nanoTime();
                isTimeLeft = deadlineNs - nowNs > 0 && !watch.isStopped();
                if (isTimeLeft && watch.isDue(nowNs)) {
                    watch.onProgress(nowNs, acknowledged());
                }
            }
        }
    }

    /** Messages that have arrived at their nodes. */
    private long acknowledged() {
        long count = 0;
        for (int i = 0; i < streams.size(); i++) {
            final Stream stream = streams.get(i);
            count += stream.sent;
            if (stream.isFirstOfContext) {
                count -= stream.exchange.context().unfinishedSends();
            }
        }
        return count;
    }

    private long burst(final Stream stream, final long limitMessages) {
        final PmContext context = stream.exchange.context();
        int sent = 0;
        while (sent < BURST && stream.sent < limitMessages) {
            final int slot = context.claim(stream.target, ServiceProtocol.CONTEXT, lengthBytes);
            if (slot == PmStatus.NO_BUFFERS) {
                break;
            }
            if (slot < 0) {
                throw new ToolException(
                        "cannot send: " + PmStatus.name(slot) + " " + context.closeReason());
            }
            if (stream.sent % checkEvery == 0) {
                MessagePattern.write(context.sendAddress(slot), lengthBytes, stream.sent);
                stream.exchange.send(slot, lengthBytes, ServiceProtocol.COUNT);
            } else {
                MessagePattern.number(context.sendAddress(slot), stream.sent);
                stream.exchange.send(slot, lengthBytes, ServiceProtocol.COUNT_NUMBER);
            }
            stream.sent++;
            sent++;
        }
        return sent;
    }

    /** Asks a receiver; returns the different messages that it got, and adds its counts to ours. */
    private long ask(final Stream stream, final int tag) {
        final MeasurementExchange exchange = stream.exchange;
        exchange.send(exchange.claim(stream.target, ServiceProtocol.CONTEXT, 0, ANSWER_NS), 0, tag);
        while (exchange.receive(ANSWER_NS)) {
            final var message = exchange.message();
            final boolean isAnswer =
                    message.tag() == ServiceProtocol.COUNT_REPLY
                            && message.sourceNode() == stream.target
                            && message.lengthBytes() == ServiceProtocol.REPLY_BYTES;
            final long received = isAnswer ? take(message.address()) : 0;
            exchange.release();
            if (isAnswer) {
                return received;
            }
        }
        throw new ToolException(
                "node " + stream.target + " does not answer: run hxb stat to see whether it runs");
    }

    private long take(final long address) {
        final long arrived = Memory.getLong(address);
        messages += arrived;
        bytes += Memory.getLong(address + 8);
        duplicated += Memory.getLong(address + 24);
        reordered += Memory.getLong(address + 32);
        corrupt += Memory.getLong(address + 40);
        return arrived - Memory.getLong(address + 24);
    }

    /** What was found, without relays and round trips. */
    Result result(final int nodes) {
        return new Result(
                nodes,
                streams.size(),
                bytes,
                messages,
                lost,
                duplicated,
                reordered,
                corrupt,
                0,
                durationNs / 1e9,
                RoundTrips.NONE);
    }
}
