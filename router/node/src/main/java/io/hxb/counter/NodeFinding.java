package io.hxb.counter;

import java.util.Locale;

/**
 * Something that a node noticed to be wrong with it or its neighbourhood. Immutable.
 *
 * @param kind what it is about.
 * @param text what is wrong and where.
 * @param fix what to do about it; may be empty.
 */
public record NodeFinding(Kind kind, String text, String fix) {
    private static final String SEPARATOR = "\t";

    /** What a finding is about. */
    public enum Kind {
        /** A link of the node cannot carry frames. */
        LINK_DOWN(true),
        /**
         * Ports that are plugged together do not belong together, or are configured differently.
         */
        MISMATCH(true),
        /** A switch of ours carries frames of another cluster, or of no cluster. */
        FOREIGN_TRAFFIC(false),
        /** A neighbour is heard on only some links of a trunk. */
        HALF_HEARD(true),
        /** A neighbour is not heard at all. */
        NOT_HEARD(false),
        /** Links have come up, and it is too early to miss neighbours there. */
        LOOKING(false),
        /** Written by another version of HXB. */
        OTHER(false);

        private final boolean isFailure;

        Kind(final boolean isFailure) {
            this.isFailure = isFailure;
        }

        /** True if something does not work, and will not until somebody acts. */
        public boolean isFailure() {
            return isFailure;
        }
    }

    /** Removes what separates lines and parts. */
    public NodeFinding {
        text = text.replaceAll("[\\t\\n]", " ");
        fix = fix.replaceAll("[\\t\\n]", " ");
    }

    /** Splits a sentence at its last colon, after which it has the advice. */
    public static NodeFinding of(final Kind kind, final String sentence) {
        final int colon = sentence.lastIndexOf(": ");
        return colon < 0
                ? new NodeFinding(kind, sentence, "")
                : new NodeFinding(
                        kind, sentence.substring(0, colon), sentence.substring(colon + 2));
    }

    /** What is wrong, where, and what to do, in one sentence. */
    public String sentence() {
        return fix.isEmpty() ? text : text + ": " + fix;
    }

    /** The line of a counter file. */
    String line() {
        return kind.name().toLowerCase(Locale.ROOT) + SEPARATOR + text + SEPARATOR + fix;
    }

    /** Reads a line of a counter file, which another version may have written. */
    static NodeFinding parse(final String line) {
        final String[] parts = line.split(SEPARATOR, -1);
        for (final Kind kind : Kind.values()) {
            if (parts.length == 3 && parts[0].equals(kind.name().toLowerCase(Locale.ROOT))) {
                return new NodeFinding(kind, parts[1], parts[2]);
            }
        }
        return of(Kind.OTHER, line);
    }
}
