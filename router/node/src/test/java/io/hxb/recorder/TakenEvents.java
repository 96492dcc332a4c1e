package io.hxb.recorder;

import java.util.ArrayList;
import java.util.List;

/** Takes events out of a ring that no recorder empties. Stateless. */
public final class TakenEvents {
    private TakenEvents() {}

    /** The events in a ring, which is empty afterwards. */
    public static List<RecordedEvent> of(final RecorderRing ring) {
        final List<RecordedEvent> events = new ArrayList<>();
        ring.drain(
                (_, id, _) -> events.add(RecordedEvent.ofId(id)), new long[EventEntry.ARGUMENTS]);
        return events;
    }
}
