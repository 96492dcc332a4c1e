package io.hxb.recorder;

import io.hxb.config.Dimensions;
import io.hxb.config.ResourceShare;
import io.hxb.frame.MisconfigurationFlyweight;

import java.util.List;
import java.util.Locale;

/** What an argument of an event is, and how it is written. */
enum EventArgument {
    /** A number without a unit: an id or a count. */
    NUMBER,

    /** A time in ns. */
    DURATION,

    /** Hundredths of a percent. */
    PERCENT,

    /** A hash, written in hexadecimal digits. */
    HASH,

    /** A link of the node: see {@link RecordedEvent#link}. */
    LINK,

    /** A dimension, 0 to 7. */
    DIMENSION,

    /** Why a node ends: a {@link StopCause}. */
    CAUSE,

    /** What is limited: a {@link ResourceShare}, by its place in the list. */
    RESOURCE,

    /** What is wrong with cables or files: a kind of {@link MisconfigurationFlyweight}. */
    FINDING,

    /** The id of another event. */
    EVENT,

    /** The number of a loop; -1 stands for all threads that belong to no loop. */
    WRITER;

    /** The argument in a sentence. */
    String text(final long value) {
        return switch (this) {
            case DURATION -> duration(value);
            case PERCENT -> String.format(Locale.ROOT, "%.1f", value / 100.0);
            default -> String.valueOf(json(value));
        };
    }

    /** The argument as JSON has it: a number, or a text. */
    Object json(final long value) {
        return switch (this) {
            case NUMBER, DURATION -> value;
            case WRITER -> value < 0 ? "other threads" : "loop " + value;
            case PERCENT -> value / 100.0;
            case HASH -> String.format(Locale.ROOT, "%08x", (int) value);
            case LINK -> link(value);
            case DIMENSION -> Dimensions.name((int) value & 7);
            case CAUSE -> StopCause.ofCode(value).text();
            case RESOURCE -> resource(value);
            case FINDING -> finding(value);
            case EVENT -> event(value);
        };
    }

    /** What follows the name of the argument in JSON: its unit. */
    String suffix() {
        return switch (this) {
            case DURATION -> "_ns";
            case PERCENT -> "_percent";
            default -> "";
        };
    }

    private static String duration(final long valueNs) {
        final double sizeNs = Math.abs((double) valueNs);
        final String text;
        if (sizeNs < 1e6) {
            text = Math.round(sizeNs / 1e3) + " us";
        } else if (sizeNs < 1e9) {
            text = String.format(Locale.ROOT, sizeNs < 1e7 ? "%.1f ms" : "%.0f ms", sizeNs / 1e6);
        } else {
            text = String.format(Locale.ROOT, "%.1f s", sizeNs / 1e9);
        }
        return valueNs < 0 ? "-" + text : text;
    }

    private static String link(final long value) {
        return Dimensions.name((int) (value >>> 8) & 7) + "." + (value & 0xFF);
    }

    private static String resource(final long value) {
        final List<ResourceShare> all = List.of(ResourceShare.values());
        return value >= 0 && value < all.size() ? all.get((int) value).noun() : "resource " + value;
    }

    private static String finding(final long value) {
        return switch ((int) value) {
            case MisconfigurationFlyweight.DUPLICATE_COORDINATE ->
                    "two nodes have the same coordinates";
            case MisconfigurationFlyweight.WRONG_LINE ->
                    "a segment joins nodes that are not on one line";
            case MisconfigurationFlyweight.WRONG_DIMENSION ->
                    "a segment joins links of different dimensions";
            case MisconfigurationFlyweight.WRONG_LINK_NUMBER ->
                    "a segment joins links of different numbers";
            case MisconfigurationFlyweight.OTHER_CLUSTER ->
                    "a node of another cluster is on a segment";
            case MisconfigurationFlyweight.OTHER_FINGERPRINT ->
                    "a neighbour has another cluster file";
            case MisconfigurationFlyweight.OTHER_VERSION ->
                    "a neighbour has another version of the frame layout";
            case MisconfigurationFlyweight.MTU_DIFFERS -> "a neighbour has another MTU";
            case MisconfigurationFlyweight.OTHER_KEY ->
                    "a neighbour has no key in common with this node";
            case MisconfigurationFlyweight.DUPLICATE_ADDRESS ->
                    "a NIC of another node has the MAC address of a NIC of this node";
            default -> "finding " + value;
        };
    }

    private static String event(final long value) {
        final RecordedEvent event = RecordedEvent.ofId((int) value);
        return event == null ? "event " + value : event.word();
    }
}
