package io.hxb.tool.measure;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

import java.util.List;

/**
 * What round trips were found. Immutable.
 *
 * @param result all pairs together.
 * @param late answers that came after their time; their messages count as lost.
 * @param trips each pair.
 */
public record RoundTripResult(Result result, long late, List<Trip> trips) {
    /** Copies the list. */
    public RoundTripResult {
        trips = List.copyOf(trips);
    }

    /**
     * Round trips of one pair. Immutable; the JSON fields are the components.
     *
     * @param from coordinates of the sender.
     * @param to coordinates of the receiver.
     * @param hops links between them; null if that is not known.
     * @param sent messages sent.
     * @param lost messages without an answer in time.
     * @param rttUs round trips.
     */
    public record Trip(
            String from,
            String to,
            @JsonInclude(JsonInclude.Include.NON_NULL) Integer hops,
            long sent,
            long lost,
            @JsonProperty("rtt_us") RoundTrips rttUs) {}
}
