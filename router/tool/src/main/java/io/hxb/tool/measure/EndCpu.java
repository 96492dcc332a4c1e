package io.hxb.tool.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * CPU time, user and system, that the processes at both ends of a measurement have used. What is
 * not known is empty. Immutable.
 *
 * @param senderNs of the sending program.
 * @param senderNodeNs of the nodes that it sends by.
 * @param receiverNs of the receiving program.
 * @param receiverNodeNs of the nodes that it receives by.
 * @param nodesNs of the nodes of both ends, where they cannot be separated: they share a process,
 *     or each sends and receives.
 */
public record EndCpu(
        OptionalLong senderNs,
        OptionalLong senderNodeNs,
        OptionalLong receiverNs,
        OptionalLong receiverNodeNs,
        OptionalLong nodesNs) {
    /** Nothing is known. */
    public static final EndCpu UNKNOWN =
            new EndCpu(
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty());

    /** What was used since an earlier reading. */
    EndCpu since(final EndCpu before) {
        return new EndCpu(
                minus(senderNs, before.senderNs),
                minus(senderNodeNs, before.senderNodeNs),
                minus(receiverNs, before.receiverNs),
                minus(receiverNodeNs, before.receiverNodeNs),
                minus(nodesNs, before.nodesNs));
    }

    /** The same with what the receiver has reported of itself, as far as nothing else is known. */
    EndCpu orReceiver(final OptionalLong programNs, final OptionalLong nodeNs) {
        final boolean isKnown = receiverNodeNs.isPresent() || nodesNs.isPresent();
        return new EndCpu(
                senderNs,
                senderNodeNs,
                receiverNs.isPresent() ? receiverNs : programNs,
                isKnown ? receiverNodeNs : nodeNs,
                nodesNs);
    }

    private static OptionalLong minus(final OptionalLong after, final OptionalLong before) {
        return after.isPresent() && before.isPresent()
                ? OptionalLong.of(after.getAsLong() - before.getAsLong())
                : OptionalLong.empty();
    }

    /** Seconds for each GB, by whose they are; without what is not known. */
    public Map<String, Double> perGigabyte(final long bytes) {
        final Map<String, Double> seconds = new LinkedHashMap<>();
        if (bytes > 0) {
            put(seconds, "sender", senderNs, bytes);
            put(seconds, "sender_node", senderNodeNs, bytes);
            put(seconds, "receiver", receiverNs, bytes);
            put(seconds, "receiver_node", receiverNodeNs, bytes);
            put(seconds, "nodes", nodesNs, bytes);
        }
        return seconds;
    }

    private static void put(
            final Map<String, Double> seconds,
            final String name,
            final OptionalLong ns,
            final long bytes) {
        // Nanoseconds for each byte are seconds for each 10^9.
        ns.ifPresent(value -> seconds.put(name, Math.round(1e3 * value / bytes) / 1e3));
    }

    /** A line for people; empty if nothing is known. */
    public String text(final long bytes) {
        final Map<String, Double> seconds = perGigabyte(bytes);
        final List<String> parts = new ArrayList<>();
        add(parts, seconds, "sender", "sender");
        add(parts, seconds, "sender_node", "sender's node");
        add(parts, seconds, "receiver", "receiver");
        add(parts, seconds, "receiver_node", "receiver's node");
        add(parts, seconds, "nodes", "nodes");
        return parts.isEmpty() ? "" : "CPU-seconds a GB: " + String.join(", ", parts);
    }

    private static void add(
            final List<String> parts,
            final Map<String, Double> seconds,
            final String name,
            final String text) {
        if (seconds.containsKey(name)) {
            parts.add(String.format(Locale.ROOT, "%s %.2f", text, seconds.get(name)));
        }
    }
}
