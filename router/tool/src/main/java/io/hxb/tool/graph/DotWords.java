package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.log.Printable;

/** The words of a DOT text, one after the other. Used by one thread. */
final class DotWords {
    private static final int MAX_QUOTED_LENGTH = 40;
    private static final String PUNCTUATION = "{}[];,:=";

    private final String file;
    private final String text;
    private int at;
    private int line = 1;

    /** The word that comes next, empty at the end. */
    private String word;

    private int wordLine;

    /** Whether it is a name, and one that may be a keyword. */
    private boolean isName;

    private boolean isPlain;

    DotWords(final String file, final String text) {
        this.file = file;
        this.text = text;
        next();
    }

    boolean isAtEnd() {
        return word.isEmpty() && !isName;
    }

    /** True if the next word is a sign or keyword; these are written in any case. */
    boolean is(final String sign) {
        return isName ? isPlain && word.equalsIgnoreCase(sign) : word.equals(sign);
    }

    /** Takes the next word if it is that sign or keyword. */
    boolean skip(final String sign) {
        final boolean is = is(sign);
        if (is) {
            next();
        }
        return is;
    }

    void take(final String sign) {
        if (!skip(sign)) {
            throw expected("'" + sign + "'");
        }
    }

    boolean isEdge() {
        return !isName && (word.equals("--") || word.equals("->"));
    }

    void takeEdge() {
        assert isEdge() : word;
        next();
    }

    /** Takes a name or value; strings in quotes may be joined by {@code +}. */
    String name() {
        if (!isName) {
            throw expected("a name");
        }
        final StringBuilder name = new StringBuilder(word);
        boolean isQuoted = !isPlain;
        next();
        while (isQuoted && !isName && word.equals("+")) {
            next();
            if (!isName || isPlain) {
                throw expected("a string in quotes");
            }
            name.append(word);
            isQuoted = true;
            next();
        }
        return name.toString();
    }

    GraphException expected(final String what) {
        return problem(
                "is not DOT: "
                        + (isAtEnd()
                                ? "the text ends"
                                : "'" + Printable.of(word, MAX_QUOTED_LENGTH) + "'")
                        + " where "
                        + what
                        + " should be; write 'graph { a -- b }'");
    }

    /** Something is wrong at the next word. */
    GraphException problem(final String what) {
        return new GraphException(file + ":" + wordLine + ": " + what);
    }

    private void next() {
        skipSpace();
        wordLine = line;
        isName = false;
        isPlain = false;
        if (at == text.length()) {
            word = "";
            return;
        }
        final char c = text.charAt(at);
        if (c == '"') {
            readQuoted();
        } else if (c == '<') {
            readHtml();
        } else if (isNameStart(c)) {
            readName();
        } else if (c == '-' && at + 1 < text.length() && isNumeral(text.charAt(at + 1))) {
            readName();
        } else if (text.startsWith("--", at) || text.startsWith("->", at)) {
            word = text.substring(at, at + 2);
            at += 2;
        } else {
            word = text.substring(at, at + 1);
            at++;
            if (c != '+' && PUNCTUATION.indexOf(c) < 0) {
                throw expected("a name or sign");
            }
        }
    }

    private static boolean isNameStart(final char c) {
        return c == '_'
                || isNumeral(c)
                || (c >= 'A' && c <= 'Z')
                || (c >= 'a' && c <= 'z')
                || c > 0x7F;
    }

    private static boolean isNumeral(final char c) {
        return (c >= '0' && c <= '9') || c == '.';
    }

    private void readName() {
        final int start = at;
        at++;
        while (at < text.length() && isNameStart(text.charAt(at))) {
            at++;
        }
        isName = true;
        isPlain = true;
        word = text.substring(start, at);
    }

    private void readQuoted() {
        final StringBuilder quoted = new StringBuilder();
        at++;
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            final char following = at < text.length() ? text.charAt(at) : 0;
            if (c == '\\' && (following == '"' || following == '\\')) {
                c = following;
                at++;
            } else if (c == '\\' && following == '\n') {
                at++;
                line++;
                continue;
            }
            line += c == '\n' ? 1 : 0;
            quoted.append(c);
        }
        end("a string in quotes");
        word = quoted.toString();
    }

    private void readHtml() {
        final int start = at + 1;
        int depth = 0;
        while (at < text.length()) {
            final char c = text.charAt(at);
            line += c == '\n' ? 1 : 0;
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (depth == 0) {
                break;
            }
            at++;
        }
        final int stop = at;
        end("a string of HTML");
        word = text.substring(start, stop);
    }

    // Skips the last character of a string, which has to be there.
    private void end(final String what) {
        if (at == text.length()) {
            throw problem("is not DOT: " + what + " does not end; write 'graph { a -- b }'");
        }
        at++;
        isName = true;
    }

    private void skipSpace() {
        while (at < text.length()) {
            final char c = text.charAt(at);
            if (text.startsWith("/*", at)) {
                skipComment(text.indexOf("*/", at + 2), 2);
            } else if (text.startsWith("//", at) || (c == '#' && isLineStart())) {
                skipComment(text.indexOf('\n', at), 0);
            } else if (c == ' '
                    || c == '\t'
                    || c == '\r'
                    || c == '\n'
                    || c == '\f'
                    || c == '\uFEFF') {
                line += c == '\n' ? 1 : 0;
                at++;
            } else {
                return;
            }
        }
    }

    private boolean isLineStart() {
        return at == 0 || text.charAt(at - 1) == '\n';
    }

    private void skipComment(final int endsAt, final int markLength) {
        final int stop = endsAt < 0 ? text.length() : endsAt + markLength;
        for (; at < stop; at++) {
            line += text.charAt(at) == '\n' ? 1 : 0;
        }
    }
}
