package io.hxb.counter;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What users and tenants hold of a node, for as many of them as a counter file has room for.
 * Immutable.
 *
 * @param uses one entry for each user or tenant.
 * @param leftOut number of further ones, for which there was no room.
 */
public record ResourceUses(List<ResourceUse> uses, int leftOut) {
    /** Of nobody. */
    public static final ResourceUses NONE = new ResourceUses(List.of(), 0);

    // The number of those left out, on a line of its own.
    private static final int MAX_FIRST_LINE_BYTES = 12;

    /** Copies the list. */
    public ResourceUses {
        uses = List.copyOf(uses);
    }

    /** The text of a counter file with as many of these as fit, the first ones first. */
    static byte[] text(final List<ResourceUse> all) {
        final List<String> lines = new ArrayList<>();
        int bytes = MAX_FIRST_LINE_BYTES;
        for (final ResourceUse use : all) {
            final String line = use.line();
            bytes += line.getBytes(StandardCharsets.UTF_8).length + 1;
            if (bytes > TextArea.MAX_TEXT_BYTES) {
                break;
            }
            lines.add(line);
        }
        lines.addFirst(Integer.toString(all.size() - lines.size()));
        return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    }

    /** Reads that text, even when it is damaged. */
    static ResourceUses parse(final String text) {
        final List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.getFirst().matches("\\d{1,9}")) {
            return NONE;
        }
        return new ResourceUses(
                lines.stream().skip(1).map(ResourceUse::parse).flatMap(Optional::stream).toList(),
                Integer.parseInt(lines.getFirst()));
    }
}
