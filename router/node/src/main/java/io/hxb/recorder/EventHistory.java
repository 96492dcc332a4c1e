package io.hxb.recorder;

import java.util.List;

/**
 * What a node has recorded, of its last runs. Immutable.
 *
 * @param labels the node.
 * @param pid process id of its last run.
 * @param entries its events, the oldest first.
 * @param damaged entries that could not be read, because they were being written or are damaged.
 */
public record EventHistory(EventLabels labels, long pid, List<EventEntry> entries, int damaged) {
    /** Copies the list. */
    public EventHistory {
        entries = List.copyOf(entries);
    }

    /** Number of the last event; 0 if there is none. */
    long lastSequence() {
        return entries.isEmpty() ? 0 : entries.getLast().sequence();
    }

    /** True if the last run began and did not stop in order. */
    boolean isLastRunLost() {
        for (final EventEntry entry : entries.reversed()) {
            if (entry.event() == RecordedEvent.NODE_STOPPED) {
                return false;
            }
            if (entry.event() == RecordedEvent.NODE_STARTED) {
                return true;
            }
        }
        return false;
    }
}
