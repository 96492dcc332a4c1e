package io.hxb.tool.measure;

import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.StreamCheck;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the throughput of messages longer than a frame, sent from a region without a copy and
 * assembled at the receiver. Owned by one thread, which plays both ends of all pairs.
 */
final class LargePerfRun implements AutoCloseable {
    private static final int AT_ONCE = 4;
    private static final long IDLE_NS = 20_000;
    private static final long SILENCE_NS = 10_000_000_000L;

    private final Cluster cluster;
    private final int lengthBytes;
    private final long checkEvery;
    private final MeasurementWatch watch;
    private final Map<Integer, End> ends = new HashMap<>();
    private final List<Stream> streams = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private long failed;
    private long durationNs;

    /** The application on one node. */
    private final class End implements PmLargeHandler {
        private final PmContext context;
        private final PmLargeMessages messages;
        private final Map<Integer, StreamCheck> checks = new HashMap<>();
        private final Map<Integer, MemorySegment> targets = new HashMap<>();

        End(final int node) throws IOException {
            context =
                    cluster.device(node)
                            .openContext(
                                    RunMeasurement.CONTEXT,
                                    ContextWaiting.options(cluster.config().loop()));
            messages = new PmLargeMessages(context, this, PmLargeMessages.Limits.DEFAULT);
        }

        @Override
        public MemorySegment onStart(
                final int sourceNode, final int sourceContext, final long length, final int tag) {
            return length == lengthBytes
                    ? targets.computeIfAbsent(sourceNode, key -> arena.allocate(lengthBytes, 64))
                    : PmLargeMessages.REJECT;
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long length,
                final int tag,
                final MemorySegment target,
                final int status) {
            if (status != PmStatus.OK) {
                failed++;
                return;
            }
            final int number = MessagePattern.sequence(target.address());
            final boolean isWhole = Integer.toUnsignedLong(number) % checkEvery == 0;
            checks.computeIfAbsent(sourceNode, key -> new StreamCheck())
                    .onMessage(
                            number,
                            lengthBytes,
                            !isWhole || MessagePattern.isIntact(target.address(), lengthBytes));
        }

        @Override
        public void onSent(final long transfer, final int status) {
            if (status != PmStatus.OK) {
                throw new ToolException("a message was not delivered: " + PmStatus.name(status));
            }
        }

        long received() {
            return checks.values().stream().mapToLong(StreamCheck::messages).sum();
        }
    }

    /** One direction of one pair, with room for the messages under way. */
    private static final class Stream {
        private final End from;
        private final int target;
        private final PmRegion region;
        private final long[] transfers = new long[AT_ONCE];
        private long sent;

        Stream(final End from, final int target, final PmRegion region) {
            this.from = from;
            this.target = target;
            this.region = region;
            java.util.Arrays.fill(transfers, -1);
        }
    }

    LargePerfRun(
            final Cluster cluster,
            final List<Pair> pairs,
            final int lengthBytes,
            final long checkEvery,
            final MeasurementWatch watch)
            throws IOException {
        this.watch = watch;
        this.cluster = cluster;
        this.lengthBytes = lengthBytes;
        this.checkEvery = checkEvery;
        for (final Pair pair : pairs) {
            for (final int node : new int[] {pair.from(), pair.to()}) {
                if (!ends.containsKey(node)) {
                    ends.put(node, new End(node));
                }
            }
            final PmRegion region =
                    cluster.device(pair.from()).openRegion((long) AT_ONCE * slotBytes());
            streams.add(new Stream(ends.get(pair.from()), pair.to(), region));
        }
    }

    private long slotBytes() {
        return (lengthBytes + 4095L) & ~4095L;
    }

    /** Sends until the time is over or the user stops it; waits until everything has arrived. */
    void run(final long sendNs, final long limitMessages) {
        final long startNs = System.nanoTime();
        long lastNs = startNs;
        watch.begin(startNs);
        while (true) {
            final long nowNs = System.nanoTime();
            final boolean isSending = nowNs - startNs < sendNs && !watch.isStopped();
            int work = 0;
            if (watch.isDue(nowNs)) {
                watch.onProgress(nowNs, received());
            }
            for (final Stream stream : streams) {
                work += isSending ? fill(stream, limitMessages) : 0;
            }
            for (final End end : ends.values()) {
                work += poll(end);
            }
            lastNs = work > 0 ? nowNs : lastNs;
            final boolean isAllSent =
                    !isSending || streams.stream().allMatch(s -> s.sent >= limitMessages);
            if ((isAllSent && sent() == received()) || nowNs - lastNs > SILENCE_NS) {
                durationNs = System.nanoTime() - startNs;
                watch.end(System.nanoTime(), received());
                return;
            }
            if (work == 0) {
                LockSupport.parkNanos(IDLE_NS);
            }
        }
    }

    private static int poll(final End end) {
        final int work = end.messages.poll();
        if (work < 0) {
            throw new ToolException(
                    "cannot continue: " + PmStatus.name(work) + " " + end.context.closeReason());
        }
        return work;
    }

    private int fill(final Stream stream, final long limitMessages) {
        int work = 0;
        for (int i = 0; i < AT_ONCE && stream.sent < limitMessages; i++) {
            final boolean isFree =
                    stream.transfers[i] < 0 || stream.from.messages.isSent(stream.transfers[i]);
            if (isFree) {
                final long offset = i * slotBytes();
                final long address = stream.region.address() + offset;
                if (stream.sent % checkEvery == 0) {
                    MessagePattern.write(address, lengthBytes, stream.sent);
                } else {
                    MessagePattern.number(address, stream.sent);
                }
                final long transfer =
                        stream.from.messages.send(
                                stream.target,
                                RunMeasurement.CONTEXT,
                                stream.region,
                                offset,
                                lengthBytes,
                                0);
                if (transfer < 0) {
                    break;
                }
                stream.transfers[i] = transfer;
                stream.sent++;
                work++;
            }
        }
        return work;
    }

    private long sent() {
        return streams.stream().mapToLong(stream -> stream.sent).sum();
    }

    private long received() {
        return ends.values().stream().mapToLong(End::received).sum();
    }

    /** What was found, without relays and round trips. */
    Result result() {
        long messages = 0;
        long bytes = 0;
        long duplicated = 0;
        long reordered = 0;
        long corrupt = 0;
        for (final End end : ends.values()) {
            for (final StreamCheck check : end.checks.values()) {
                messages += check.messages();
                bytes += check.bytes();
                duplicated += check.duplicated();
                reordered += check.reordered();
                corrupt += check.corrupt();
            }
        }
        return new Result(
                cluster.config().shape().nodeCount(),
                streams.size(),
                bytes,
                messages,
                Math.max(failed, sent() - (messages - duplicated)),
                duplicated,
                reordered,
                corrupt,
                0,
                durationNs / 1e9,
                RoundTrips.NONE);
    }

    @Override
    public void close() {
        streams.forEach(stream -> stream.region.close());
        ends.values().forEach(end -> end.context.close());
        arena.close();
    }
}
