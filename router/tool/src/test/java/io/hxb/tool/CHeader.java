package io.hxb.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The functions and constants that a header of C declares, with their comments. Immutable. */
final class CHeader {
    private static final Pattern PIECE =
            Pattern.compile(
                    "(?<comment>/\\*.*?\\*/)"
                            + "|(?<blank>\\n[ \\t]*(?=\\n))"
                            + "|(?<directive>^#(?:[^\\n\\\\]|\\\\\\n)*)"
                            + "|(?<block>^(?:typedef )?(?:struct|enum)\\b[^;{]*\\{.*?^?\\}[^;]*;)"
                            + "|(?<function>^[A-Za-z][^;{}#/]*?\\b(?<name>[A-Za-z]\\w*)\\("
                            + "(?<parameters>[^;{}]*)\\);(?<trailing>[ \\t]*/\\*.*?\\*/)?)"
                            + "|(?<other>^(?:typedef|extern)[^;{]*[;{])",
                    Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern CONSTANT =
            Pattern.compile(
                    "^ *([A-Z][A-Z_]+) = (-?\\d+),? *(/\\*.*?\\*/)?",
                    Pattern.MULTILINE | Pattern.DOTALL);

    private final List<Entry> entries = new ArrayList<>();
    private final List<Constant> constants = new ArrayList<>();

    /**
     * A comment with the functions that it describes: none if it is about all that follow.
     *
     * @param heading of a part of the header; otherwise empty.
     */
    record Entry(String heading, String text, List<Function> functions) {}

    /**
     * A function.
     *
     * @param type of what it returns.
     * @param parameters as they are declared; none for void.
     */
    record Function(String type, String name, List<String> parameters) {}

    /** A constant with a number. */
    record Constant(String name, int value, String text) {}

    /** Reads a header; the comment at its start is left out. */
    CHeader(final Path header) throws IOException {
        final String text = Files.readString(header);
        final Matcher piece = PIECE.matcher(text);
        int end = piece.find() ? piece.end() : 0;
        String comment = "";
        boolean isMacro = false;
        List<Function> functions = new ArrayList<>();
        while (piece.find(end)) {
            end = piece.end();
            if (piece.group("comment") != null || piece.group("blank") != null) {
                if (!isMacro || !functions.isEmpty()) {
                    add(comment, functions);
                }
                isMacro = false;
                functions = new ArrayList<>();
                comment = piece.group("comment") == null ? "" : piece.group("comment");
            } else if (piece.group("directive") != null && functions.isEmpty()) {
                // The comment may be about a macro and the function that it calls.
                isMacro = true;
            } else if (piece.group("block") != null) {
                if (!comment.isEmpty()) {
                    add(
                            comment.replaceFirst("/\\*+", "/* " + name(piece.group("block")) + ":"),
                            functions);
                }
                comment = "";
            } else if (piece.group("function") != null) {
                if (piece.group("trailing") == null) {
                    functions.add(function(piece));
                } else {
                    add(comment, functions);
                    functions = new ArrayList<>();
                    add(piece.group("trailing"), List.of(function(piece)));
                    comment = "";
                }
            }
        }
        add(comment, functions);
        final Matcher constant = CONSTANT.matcher(text);
        while (constant.find()) {
            constants.add(
                    new Constant(
                            constant.group(1),
                            Integer.parseInt(constant.group(2)),
                            constant.group(3) == null ? "" : plain(constant.group(3))));
        }
    }

    private static Function function(final Matcher piece) {
        final String declaration = piece.group("function");
        final String type =
                declaration
                        .substring(0, piece.start("name") - piece.start("function"))
                        .replaceFirst("^[A-Z]+_API ", "")
                        .strip();
        final String parameters = piece.group("parameters").replaceAll("\\s+", " ").strip();
        return new Function(
                type,
                piece.group("name"),
                parameters.equals("void") ? List.of() : List.of(parameters.split(", ", -1)));
    }

    private void add(final String comment, final List<Function> functions) {
        final String text = plain(comment);
        final Matcher heading =
                Pattern.compile("^---- (.*?) ----\\s*(.*)$", Pattern.DOTALL).matcher(text);
        if (heading.matches()) {
            entries.add(new Entry(heading.group(1), heading.group(2), List.copyOf(functions)));
        } else if (!text.isEmpty() || !functions.isEmpty()) {
            entries.add(new Entry("", text, List.copyOf(functions)));
        }
    }

    /** The name of a struct or an enumeration. */
    private static String name(final String block) {
        return block.startsWith("typedef")
                ? block.replaceFirst("(?s).*\\}\\s*(\\w+);$", "$1")
                : block.replaceFirst("(?s)^\\w+ (\\w*).*", "$1");
    }

    private static String plain(final String comment) {
        return comment.strip()
                .replaceAll("^/\\*+|\\*/$", "")
                .lines()
                .map(line -> line.strip().replaceFirst("^\\* ?", "").strip())
                .collect(Collectors.joining(" "))
                .strip();
    }

    /** Comments and functions in the order of the header. */
    List<Entry> entries() {
        return entries;
    }

    /** All functions in the order of the header. */
    List<Function> functions() {
        return entries.stream().flatMap(entry -> entry.functions().stream()).toList();
    }

    /** All constants of enumerations that have a number. */
    List<Constant> constants() {
        return constants;
    }
}
