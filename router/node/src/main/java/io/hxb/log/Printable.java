package io.hxb.log;

/**
 * Makes text from others safe to show: a log, a terminal or a web page interprets control
 * characters, and people confuse letters that look alike. Stateless; any thread may call it.
 */
public final class Printable {
    private static final char FIRST = ' ';
    private static final char LAST = '~';

    private Printable() {}

    /**
     * The text in printable ASCII: all other characters, and backslashes, are escaped as in Java.
     *
     * @param maxLength characters of {@code text} that are used; three dots stand for the rest.
     */
    public static String of(final String text, final int maxLength) {
        final int length = Math.min(text.length(), maxLength);
        int index = 0;
        while (index < length && isPlain(text.charAt(index))) {
            index++;
        }
        if (index == text.length()) {
            return text;
        }
        final StringBuilder printable = new StringBuilder(text.substring(0, index));
        for (; index < length; index++) {
            append(printable, text.charAt(index));
        }
        return printable.append(length < text.length() ? "..." : "").toString();
    }

    /**
     * The text with control characters escaped as in Java, except for the ends of lines: for
     * messages, which may have letters of any language.
     */
    public static String message(final String text) {
        int index = 0;
        while (index < text.length() && !isControl(text.charAt(index))) {
            index++;
        }
        if (index == text.length()) {
            return text;
        }
        final StringBuilder printable = new StringBuilder(text.substring(0, index));
        for (; index < text.length(); index++) {
            final char c = text.charAt(index);
            if (isControl(c)) {
                escape(printable, c);
            } else {
                printable.append(c);
            }
        }
        return printable.toString();
    }

    // Also what turns the direction of the text around, and ends of lines beside the usual one.
    private static boolean isControl(final char c) {
        return c != '\n'
                && (Character.isISOControl(c)
                        || Character.getType(c) == Character.FORMAT
                        || Character.getType(c) == Character.LINE_SEPARATOR
                        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR);
    }

    private static boolean isPlain(final char c) {
        return c >= FIRST && c <= LAST && c != '\\';
    }

    private static void append(final StringBuilder printable, final char c) {
        if (isPlain(c)) {
            printable.append(c);
        } else if (c == '\\') {
            printable.append("\\\\");
        } else {
            escape(printable, c);
        }
    }

    private static void escape(final StringBuilder printable, final char c) {
        printable.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            printable.append(Character.forDigit(c >> shift & 0xF, 16));
        }
    }
}
