package io.hxb.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The lines of a file of text with their places in messages. Lines and problems have limits, so
 * that refusing a file of another kind takes neither long nor much memory. Stateless.
 */
public final class TextLines {
    /** Characters of a line; the hosts of the largest graph fit into one. */
    public static final int MAX_LINE_LENGTH = 1 << 20;

    /** Problems of a file that are reported; the first are the most useful. */
    public static final int MAX_PROBLEMS = 100;

    private static final int MAX_QUOTED_LENGTH = 80;

    private TextLines() {}

    /** Takes a line and its place. */
    public interface Reader extends BiConsumer<String, String> {}

    /**
     * Hands each line to {@code reader}, with its place {@code file:line} first; what the reader
     * throws as a {@link GraphException} is collected.
     *
     * @throws GraphException with lines {@code file:line: what is wrong}.
     */
    public static void read(final String file, final String text, final Reader reader) {
        final List<String> problems = new ArrayList<>();
        int number = 0;
        int at = 0;
        while (at <= text.length() && problems.size() < MAX_PROBLEMS) {
            final int end = text.indexOf('\n', at);
            final int stop = end < 0 ? text.length() : end;
            final String place = file + ":" + ++number;
            if (stop - at > MAX_LINE_LENGTH) {
                problems.add(
                        place
                                + ": has more than "
                                + MAX_LINE_LENGTH
                                + " characters; this is another kind of file");
                break;
            }
            try {
                reader.accept(place, text.substring(at, stop));
            } catch (final GraphException e) {
                problems.add(place + ": " + e.getMessage());
            }
            at = stop + 1;
        }
        if (!problems.isEmpty()) {
            throw new GraphException(problems);
        }
    }

    /** The text in quotes for a message, cut to a readable length. */
    public static String quote(final String text) {
        return "'" + shorten(text) + "'";
    }

    /** The text for a message, cut to a readable length. */
    public static String shorten(final String text) {
        return text.length() <= MAX_QUOTED_LENGTH
                ? text
                : text.substring(0, MAX_QUOTED_LENGTH) + "...";
    }
}
