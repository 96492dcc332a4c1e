package io.hxb.observe.view;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Events, their numbers, and viewers. The last events are kept for viewers that come back. Owned by
 * {@link LiveNetwork}.
 *
 * <p>Source: the HTML standard, 9.2 Server-sent events.
 */
final class EventFeed {
    /** Events that are kept. */
    static final int MAX_EVENTS = 256;

    /** Bytes of events that are kept. */
    static final int MAX_BYTES = 4 << 20;

    private final String run;
    private final Deque<Event> events = new ArrayDeque<>();
    private final List<EventViewer> viewers = new ArrayList<>();
    private long sequence;
    private long keptBytes;

    /**
     * Makes one.
     *
     * @param run distinguishes it from those of earlier processes: letters and digits.
     */
    EventFeed(final String run) {
        this.run = run;
    }

    private static final class Event {
        private final long sequence;
        private final byte[] bytes;

        Event(final long sequence, final byte[] bytes) {
            this.sequence = sequence;
            this.bytes = bytes;
        }
    }

    /** The id of the last event. */
    String id() {
        return run + "-" + sequence;
    }

    int viewers() {
        return viewers.size();
    }

    /** Numbers the next event: it is to be made with {@link #id}, and published. */
    void next() {
        sequence++;
    }

    /** Hands an event to all viewers. */
    void publish(final String name, final byte[] json) {
        final byte[] bytes = bytes(name, json);
        events.add(new Event(sequence, bytes));
        keptBytes += bytes.length;
        while (events.size() > MAX_EVENTS || keptBytes > MAX_BYTES) {
            keptBytes -= events.removeFirst().bytes.length;
        }
        viewers.removeIf(viewer -> !viewer.onEvent(bytes));
    }

    /** Hands viewers an event without an id, by which both sides see that the other is there. */
    void alive(final long timeMs) {
        final byte[] bytes =
                ("event: alive\ndata: {\"time_ms\":" + timeMs + "}\n\n")
                        .getBytes(StandardCharsets.UTF_8);
        viewers.removeIf(viewer -> !viewer.onEvent(bytes));
    }

    /** An event with the id of the last one. */
    byte[] bytes(final String name, final byte[] json) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream(json.length + 64);
        bytes.writeBytes(
                ("id: " + id() + "\nevent: " + name + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(json);
        bytes.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    /**
     * What a viewer has missed.
     *
     * @param lastId id of the last event that it got; empty if it got none.
     * @return empty if that is not known any more: then it needs everything.
     */
    Optional<List<byte[]>> since(final String lastId) {
        if (lastId.equals(id())) {
            return Optional.of(List.of());
        }
        if (!lastId.matches(run + "-\\d{1,18}")) {
            return Optional.empty();
        }
        final long last = Long.parseLong(lastId.substring(run.length() + 1));
        if (last > sequence || events.isEmpty() || last + 1 < events.getFirst().sequence) {
            return Optional.empty();
        }
        return Optional.of(
                events.stream()
                        .filter(event -> event.sequence > last)
                        .map(event -> event.bytes)
                        .toList());
    }

    void add(final EventViewer viewer) {
        viewers.add(viewer);
    }

    void remove(final EventViewer viewer) {
        viewers.remove(viewer);
    }
}
