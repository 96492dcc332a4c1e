package io.hxb.recorder;

import java.util.List;
import java.util.Map;

/**
 * One event of a node. Immutable.
 *
 * @param sequence number of the event, from 1; it continues when the node starts again.
 * @param wallNs time of day, ns since 1970.
 * @param monotonicNs time of a clock that nobody sets, in ns since any time.
 * @param id of a {@link RecordedEvent}, possibly of a later version.
 * @param writer number of the loop that recorded it; -1 for other threads.
 * @param arguments its four arguments; 0 for those that it does not have.
 */
public record EventEntry(
        long sequence, long wallNs, long monotonicNs, int id, int writer, List<Long> arguments) {
    /** Arguments of an entry. */
    static final int ARGUMENTS = 4;

    /** Writer of what no loop recorded. */
    static final int NO_LOOP = -1;

    /** Copies the list. */
    public EventEntry {
        arguments = List.copyOf(arguments);
        assert arguments.size() == ARGUMENTS : arguments;
    }

    /** The event; null if only a later version knows it. */
    public RecordedEvent event() {
        return RecordedEvent.ofId(id);
    }

    /** How bad it is. */
    public Severity severity() {
        return event() == null ? Severity.INFO : event().severity();
    }

    /** The event as one word. */
    public String word() {
        return event() == null ? "event-" + id : event().word();
    }

    /** What has happened, in words. */
    public String sentence() {
        return event() == null
                ? "an event of another version, with id " + id + ": " + arguments
                : event().text(values());
    }

    /** Its arguments by name; empty if only a later version knows the event. */
    public Map<String, Object> report() {
        return event() == null ? Map.of() : event().report(values());
    }

    private long[] values() {
        return arguments.stream().mapToLong(Long::longValue).toArray();
    }

    EventEntry withSequence(final long value) {
        return new EventEntry(value, wallNs, monotonicNs, id, writer, arguments);
    }
}
