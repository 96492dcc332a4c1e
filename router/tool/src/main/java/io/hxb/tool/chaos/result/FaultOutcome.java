package io.hxb.tool.chaos.result;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What one fault, or its repair, did to the traffic. Immutable; the JSON fields are the components.
 *
 * @param begunS when it began, in seconds from the start; links are cut between that and {@code
 *     timeS}.
 * @param timeS when it had happened.
 * @param action such as {@code pull}.
 * @param target such as {@code x.0 of (0,0)}.
 * @param line in the script, 0 for none.
 * @param left the smallest share of its path that any pair has now; null where no pair has one.
 * @param gapMs longest run of samples below 90 % of what is left that begins within 500 ms, of the
 *     pair that fared worst; it ends with the next fault; null if there is nothing to compare with.
 * @param fullMs ms until at least 90 % of what is left flowed again steadily, of the pair that
 *     fared worst; null if that did not happen before the next fault.
 * @param fullAfterRepairMs the same from the repair of this fault; null if there was none.
 */
public record FaultOutcome(
        @JsonProperty("begun") double begunS,
        @JsonProperty("time") double timeS,
        String action,
        String target,
        int line,
        Double left,
        @JsonProperty("gap_ms") Double gapMs,
        @JsonProperty("full_ms") Double fullMs,
        @JsonProperty("full_after_repair_ms") Double fullAfterRepairMs) {

    FaultOutcome withRepair(final Double repairMs) {
        return new FaultOutcome(begunS, timeS, action, target, line, left, gapMs, fullMs, repairMs);
    }
}
