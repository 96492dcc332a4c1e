package io.hxb.bench.soak;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that is attached to one node, sends messages to its counterparts on all nodes and
 * checks every byte of theirs. It goes on whatever happens to its node, and reports in a line of
 * JSON each second. A line of standard input has it {@code pause}, {@code go} on or {@code end}; it
 * ends with that input, too. One thread.
 */
public final class SoakApplication {
    /** Context that all of them have. */
    static final int CONTEXT = 5;

    private static final long WAIT_NS = 1_000_000;
    private static final long RETRY_NS = 50_000_000;
    private static final long TELL_NS = 1_000_000_000L;
    private static final int BATCH = 64;
    private static final int SHORT_BYTES = 256;
    private static final int MAX_BYTES = 20_000;
    private static final long MAX_BEHIND_NS = 100_000_000L;
    private static final JsonMapper JSON = new JsonMapper();

    private final Path socket;
    private final int nodes;
    private final long intervalNs;
    private final SplittableRandom random = new SplittableRandom();
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();
    private final StreamBook book = new StreamBook();
    private final long[] numbers;
    private final long[] failed;
    private PmDevice device;
    private PmContext context;
    private long stream;
    private long dueNs = System.nanoTime();
    private int peer;
    private boolean isMarked;
    private long attached;
    private long sentMessages;
    private long sentBytes;
    private long failedMessages;
    private long receivedMessages;
    private long receivedBytes;
    private long corrupt;
    private volatile boolean isPaused;
    private volatile boolean isEnding;

    private SoakApplication(final Path socket, final int nodes, final int messagesPerSecond) {
        this.socket = socket;
        this.nodes = nodes;
        intervalNs = 1_000_000_000L / messagesPerSecond;
        numbers = new long[nodes];
        failed = new long[nodes];
    }

    /** Runs one: {@code socket nodes messagesPerSecond}. */
    public static void main(final String[] arguments) throws IOException {
        final SoakApplication application =
                new SoakApplication(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]));
        final Thread orders = new Thread(application::takeOrders, "orders");
        orders.setDaemon(true);
        orders.start();
        application.run();
    }

    private void takeOrders() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                isPaused = line.equals("pause");
                isEnding |= line.equals("end");
            }
        } catch (final IOException e) {
            System.err.println("no more orders: " + e.getMessage());
        }
        isEnding = true;
    }

    private void run() throws IOException {
        long tellNs = System.nanoTime();
        while (!isEnding) {
            final long nowNs = System.nanoTime();
            if (context != null || attach()) {
                turn(nowNs);
            } else {
                LockSupport.parkNanos(RETRY_NS);
            }
            if (nowNs - tellNs >= 0) {
                tellNs = nowNs + TELL_NS;
                book.turn(nowNs);
                report();
            }
        }
        report();
        detach();
    }

    private boolean attach() {
        try {
            device = PmDevice.attach(socket);
            context = device.openContext(CONTEXT);
        } catch (final IOException e) {
            // The node is down, or still has the context of the one before.
            detach();
            return false;
        }
        attached++;
        stream = random.nextLong();
        Arrays.fill(numbers, 0);
        Arrays.fill(failed, 0);
        book.reopen();
        return true;
    }

    private void detach() {
        if (context != null) {
            context.close();
            context = null;
        }
        if (device != null) {
            device.close();
            device = null;
        }
    }

    private void turn(final long nowNs) {
        int status = receive(nowNs);
        if (isOpen(status)) {
            takeEvents();
            status = isPaused ? mark() : send(nowNs);
        }
        if (isOpen(status)) {
            status = context.awaitAny(WAIT_NS);
        }
        if (!isOpen(status)) {
            detach();
        }
    }

    private static boolean isOpen(final int status) {
        return status != PmStatus.CONTEXT_CLOSED && status != PmStatus.NODE_GONE;
    }

    private int receive(final long nowNs) {
        int status = PmStatus.OK;
        for (int i = 0; i < BATCH && status == PmStatus.OK; i++) {
            status = context.receive(message);
            if (status == PmStatus.OK) {
                receivedMessages++;
                receivedBytes += message.lengthBytes();
                if (Content.isIntact(message.address(), message.lengthBytes())) {
                    book.onMessage(
                            Content.stream(message.address()),
                            Content.number(message.address()),
                            Content.failed(message.address()),
                            nowNs);
                } else {
                    corrupt++;
                }
                context.release(message);
            }
        }
        return status;
    }

    private void takeEvents() {
        while (context.pollEvent(event) == PmStatus.OK) {
            if (event.slot() != PmEvent.NO_SLOT) {
                failed[event.node()]++;
                failedMessages++;
            }
        }
    }

    private int send(final long nowNs) {
        isMarked = false;
        // Messages not sent in time are not sent later: others may be starved of CPU.
        dueNs = Math.max(dueNs, nowNs - MAX_BEHIND_NS);
        int status = PmStatus.OK;
        for (int i = 0; i < BATCH && dueNs - nowNs <= 0 && status == PmStatus.OK; i++) {
            status = sendTo(peer, lengthBytes());
            peer = (peer + 1) % nodes;
            dueNs += intervalNs;
        }
        return status;
    }

    private int lengthBytes() {
        final int max = random.nextInt(4) == 0 ? context.maxLengthBytes() : SHORT_BYTES;
        return Content.MIN_BYTES + random.nextInt(Math.min(max, MAX_BYTES) - Content.MIN_BYTES + 1);
    }

    private int sendTo(final int node, final int lengthBytes) {
        final int slot = context.claim(node, CONTEXT, lengthBytes);
        if (slot < 0) {
            return slot;
        }
        Content.write(context.sendAddress(slot), lengthBytes, stream, numbers[node], failed[node]);
        final int status = context.send(slot, lengthBytes, 0);
        if (status == PmStatus.OK) {
            numbers[node]++;
            sentMessages++;
            sentBytes += lengthBytes;
        }
        return status;
    }

    // When all is done, one more message to everybody shows what has failed.
    private int mark() {
        int status = PmStatus.OK;
        if (!isMarked && context.unfinishedSends() == 0) {
            isMarked = true;
            for (int node = 0; node < nodes && isOpen(status); node++) {
                status = sendTo(node, Content.MIN_BYTES);
            }
        }
        return status;
    }

    private void report() {
        final Map<String, Object> line = new LinkedHashMap<>();
        line.put("attached", attached);
        line.put("quiet", isPaused && isMarked && context != null && isDrained());
        line.put("sent_messages", sentMessages);
        line.put("sent_bytes", sentBytes);
        line.put("failed_messages", failedMessages);
        line.put("received_messages", receivedMessages);
        line.put("received_bytes", receivedBytes);
        line.put("corrupt_messages", corrupt);
        line.put("repeated_messages", book.again());
        line.put("lost_messages", book.lost());
        line.put("unexplained_messages", book.unexplained());
        line.put("streams", book.streams());
        System.out.println(JSON.writeValueAsString(line));
    }

    private boolean isDrained() {
        return context.unfinishedSends() == 0;
    }
}
