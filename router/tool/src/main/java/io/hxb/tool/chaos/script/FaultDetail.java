package io.hxb.tool.chaos.script;

import io.hxb.config.Quantity;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How strong a fault is; what its action does not need is 0 or false. Immutable.
 *
 * @param rateBps bits a second that a slow cable carries.
 * @param dropShare share of the frames to drop, 0 to 1.
 * @param corruptShare share of the frames to damage, 0 to 1.
 * @param passesOut of a one-way cable: true if what the node sends passes, false if what it gets.
 * @param periodNs a flapping cable is pulled for half of it.
 */
public record FaultDetail(
        long rateBps, double dropShare, double corruptShare, boolean passesOut, long periodNs) {
    /** No details. */
    public static final FaultDetail NONE = new FaultDetail(0, 0, 0, false, 0);

    /** The same as keys and values of a script. */
    Map<String, String> words(final FaultAction action) {
        final Map<String, String> words = new LinkedHashMap<>();
        switch (action) {
            case SLOW -> words.put("rate", Quantity.formatRate(rateBps));
            case DAMAGE -> {
                if (dropShare > 0) {
                    words.put("drop", percent(dropShare));
                }
                if (corruptShare > 0) {
                    words.put("corrupt", percent(corruptShare));
                }
            }
            case ONE_WAY -> words.put("passes", passesOut ? "out" : "in");
            case FLAP -> words.put("period", Quantity.formatDuration(periodNs));
            default -> {
                // The action needs no details.
            }
        }
        return words;
    }

    /** In a few words, for people. */
    String text(final FaultAction action) {
        return words(action).entrySet().stream()
                .map(word -> " " + word.getKey() + " " + word.getValue())
                .reduce("", String::concat);
    }

    private static String percent(final double share) {
        final String text = String.format(Locale.ROOT, "%.4f", share * 100);
        return text.replaceAll("\\.?0+$", "") + "%";
    }
}
