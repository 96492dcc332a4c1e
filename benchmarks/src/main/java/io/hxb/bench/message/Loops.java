package io.hxb.bench.message;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import org.HdrHistogram.Histogram;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the ends of a benchmark do, over any transport. Owned by one thread. */
final class Loops {
    private static final int BATCH = 64;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int FIRST = 1_000;
    private static final long LOST_NS = 2 * SECOND_NS;

    private final Transport transport;
    private final int lengthBytes;
    private final long warmUpNs;
    private final long measureNs;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean machine =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private int expected;
    private int lastSeen;
    private long received;
    private long disordered;

    /**
     * Prepares the loops.
     *
     * @param lengthBytes of each message, 4 or more.
     * @param warmUpNs time before figures count.
     * @param measureNs time in which they count.
     */
    Loops(
            final Transport transport,
            final int lengthBytes,
            final long warmUpNs,
            final long measureNs) {
        this.transport = transport;
        this.lengthBytes = lengthBytes;
        this.warmUpNs = warmUpNs;
        this.measureNs = measureNs;
    }

    /** Sends one message after the other and waits for the answer to each. */
    Map<String, Object> ping() {
        final Histogram histogram = new Histogram(60 * SECOND_NS, 3);
        final Histogram first = new Histogram(60 * SECOND_NS, 3);
        final Transport.Receiver receiver = this::onMessage;
        final long startNs = System.nanoTime();
        long sentNs = startNs;
        Mark mark = null;
        for (int sequence = 1; sentNs - startNs < warmUpNs + measureNs; sequence++) {
            if (mark == null && sentNs - startNs >= warmUpNs) {
                mark = mark(0);
            }
            while (!transport.offer(sequence, lengthBytes)) {
                transport.idle();
            }
            while (lastSeen != sequence) {
                if (transport.receive(receiver, 1) == 0) {
                    transport.idle();
                    checkAnswered(sentNs, startNs);
                }
            }
            final long nowNs = System.nanoTime();
            if (sentNs - startNs >= warmUpNs) {
                histogram.recordValue(nowNs - sentNs);
            }
            // The very first answer may have had to wait until the peer was there.
            if (sequence > 1 && sequence <= FIRST + 1) {
                first.recordValue(nowNs - sentNs);
            }
            sentNs = nowNs;
        }
        final Map<String, Object> figures = histogram(histogram, mark == null ? mark(0) : mark);
        figures.put("first_p50_us", first.getValueAtPercentile(50) / 1e3);
        figures.put("first_p99_us", first.getValueAtPercentile(99) / 1e3);
        return figures;
    }

    // The first answer may take long, until the peer is there.
    private static void checkAnswered(final long sentNs, final long startNs) {
        final long nowNs = System.nanoTime();
        if (nowNs - sentNs > LOST_NS && nowNs - startNs > 15 * SECOND_NS) {
            throw new IllegalStateException("no answer for 2 s");
        }
    }

    /** Answers each message with one that has the same sequence, until the process is ended. */
    void pong() {
        final Transport.Receiver receiver = this::answer;
        while (true) {
            if (transport.receive(receiver, 1) == 0) {
                transport.idle();
            }
        }
    }

    private void answer(final int sequence, final int length) {
        while (!transport.offer(sequence, length)) {
            transport.idle();
        }
    }

    /**
     * Sends as fast as there is room, or at a rate.
     *
     * @param ratePerSecond messages a second; 0 for no limit.
     */
    Map<String, Object> send(final double ratePerSecond) {
        final long startNs = System.nanoTime();
        final double intervalNs = ratePerSecond > 0 ? SECOND_NS / ratePerSecond : 0;
        Mark mark = null;
        int sequence = 0;
        long nowNs = startNs;
        while (nowNs - startNs < warmUpNs + measureNs) {
            if (mark == null && nowNs - startNs >= warmUpNs) {
                mark = mark(sequence);
            }
            final long due =
                    intervalNs > 0 ? (long) ((nowNs - startNs) / intervalNs) - sequence : BATCH;
            boolean hasRoom = due > 0;
            for (int i = 0; i < Math.min(due, BATCH) && hasRoom; i++) {
                hasRoom = transport.offer(sequence + 1, lengthBytes);
                sequence += hasRoom ? 1 : 0;
            }
            if (!hasRoom || intervalNs > 0) {
                transport.idle();
            }
            nowNs = System.nanoTime();
        }
        final Map<String, Object> figures = since(mark == null ? mark(0) : mark, sequence);
        final long endNs = nowNs;
        while (transport.unfinished() > 0 && System.nanoTime() - endNs < LOST_NS) {
            transport.idle();
        }
        figures.put("unfinished", transport.unfinished());
        return figures;
    }

    /** Receives and measures from the first message on; the caller goes on with {@link #drain}. */
    Map<String, Object> sink() {
        final Transport.Receiver receiver = this::onMessage;
        while (transport.receive(receiver, BATCH) == 0) {
            transport.idle();
        }
        final long startNs = System.nanoTime();
        Mark mark = null;
        long nowNs = startNs;
        while (nowNs - startNs < warmUpNs + measureNs) {
            if (mark == null && nowNs - startNs >= warmUpNs) {
                mark = mark(received);
            }
            if (transport.receive(receiver, BATCH) == 0) {
                transport.idle();
            }
            nowNs = System.nanoTime();
        }
        final Map<String, Object> figures = since(mark == null ? mark(0) : mark, received);
        figures.put("disordered", disordered);
        return figures;
    }

    /** Goes on receiving until the process is ended. */
    void drain() {
        final Transport.Receiver receiver = this::onMessage;
        while (true) {
            if (transport.receive(receiver, BATCH) == 0) {
                transport.idle();
            }
        }
    }

    private void onMessage(final int sequence, final int length) {
        lastSeen = sequence;
        received++;
        expected = received == 1 ? sequence : expected + 1;
        disordered += sequence != expected || length != lengthBytes ? 1 : 0;
        expected = sequence;
    }

    private record Mark(long messages, long timeNs, long cpuNs, long allocatedBytes) {}

    private Mark mark(final long messages) {
        return new Mark(
                messages,
                System.nanoTime(),
                machine.getProcessCpuTime(),
                threads.getCurrentThreadAllocatedBytes());
    }

    private Map<String, Object> since(final Mark mark, final long messages) {
        final Mark now = mark(messages);
        final double seconds = (now.timeNs - mark.timeNs) / 1e9;
        final long count = messages - mark.messages;
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("messages", count);
        figures.put("seconds", seconds);
        figures.put("messages_per_s", count / seconds);
        figures.put("MBps", count * (double) lengthBytes / seconds / 1e6);
        figures.put("cpu_ns_per_message", (now.cpuNs - mark.cpuNs) / (double) Math.max(count, 1));
        figures.put("allocated_bytes", now.allocatedBytes - mark.allocatedBytes);
        return figures;
    }

    private Map<String, Object> histogram(final Histogram histogram, final Mark mark) {
        final Mark now = mark(0);
        final long count = histogram.getTotalCount();
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("count", count);
        figures.put("min_us", histogram.getMinValue() / 1e3);
        figures.put("p50_us", histogram.getValueAtPercentile(50) / 1e3);
        figures.put("p99_us", histogram.getValueAtPercentile(99) / 1e3);
        figures.put("p999_us", histogram.getValueAtPercentile(99.9) / 1e3);
        figures.put("max_us", histogram.getMaxValue() / 1e3);
        figures.put("lost", 0);
        figures.put("cpu_ns", (now.cpuNs - mark.cpuNs) / (double) Math.max(count, 1));
        figures.put("allocated_bytes", now.allocatedBytes - mark.allocatedBytes);
        return figures;
    }
}
