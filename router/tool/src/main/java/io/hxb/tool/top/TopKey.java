package io.hxb.tool.top;

import java.util.Map;

/** The meaning of a key. */
enum TopKey {
    /** One row up. */
    UP,
    /** One row down. */
    DOWN,
    /** A screen up. */
    PAGE_UP,
    /** A screen down. */
    PAGE_DOWN,
    /** To the first row. */
    FIRST,
    /** To the last row. */
    LAST,
    /** Into the selected row. */
    OPEN,
    /** Back to the nodes. */
    BACK,
    /** Sort by the column further left. */
    SORT_LEFT,
    /** Sort by the column further right. */
    SORT_RIGHT,
    /** Reverse the order. */
    REVERSE,
    /** The links of all nodes. */
    ALL_LINKS,
    /** Type a text that rows must have. */
    FILTER,
    /** What needs attention. */
    ATTENTION,
    /** Trace from the selected node. */
    TRACE,
    /** The keys. */
    HELP,
    /** Pause or resume refreshing. */
    PAUSE,
    /** End. */
    QUIT,
    /** Something else. */
    NONE;

    // With ESC left out; arrows come in the two forms of xterm, as a terminal is set.
    private static final Map<String, TopKey> SEQUENCES =
            Map.ofEntries(
                    Map.entry("[A", UP),
                    Map.entry("OA", UP),
                    Map.entry("[B", DOWN),
                    Map.entry("OB", DOWN),
                    Map.entry("[C", SORT_RIGHT),
                    Map.entry("OC", SORT_RIGHT),
                    Map.entry("[D", SORT_LEFT),
                    Map.entry("OD", SORT_LEFT),
                    Map.entry("[5~", PAGE_UP),
                    Map.entry("[6~", PAGE_DOWN),
                    Map.entry("[H", FIRST),
                    Map.entry("OH", FIRST),
                    Map.entry("[1~", FIRST),
                    Map.entry("[F", LAST),
                    Map.entry("OF", LAST),
                    Map.entry("[4~", LAST),
                    Map.entry("", BACK));

    private static final int CTRL_C = 3;
    private static final int CTRL_D = 4;
    private static final int BACKSPACE = 8;
    private static final int DELETE = 127;

    /** The meaning of the characters right after an ESC; empty when there are none. */
    static TopKey ofSequence(final String text) {
        return SEQUENCES.getOrDefault(text, NONE);
    }

    /** The meaning of one character; the end of input also ends the program. */
    static TopKey of(final int character) {
        return switch (character) {
            case 'k' -> UP;
            case 'j' -> DOWN;
            case ' ' -> PAGE_DOWN;
            case 'b' -> PAGE_UP;
            case 'g' -> FIRST;
            case 'G' -> LAST;
            case '\r', '\n' -> OPEN;
            case 'h', BACKSPACE, DELETE -> BACK;
            case '<', ',' -> SORT_LEFT;
            case '>', '.', 's' -> SORT_RIGHT;
            case 'r' -> REVERSE;
            case 'a' -> ALL_LINKS;
            case 'p' -> PAUSE;
            case '/' -> FILTER;
            case 'w' -> ATTENTION;
            case 't' -> TRACE;
            case '?' -> HELP;
            case 'q', 'Q', CTRL_C, CTRL_D, -1 -> QUIT;
            default -> NONE;
        };
    }
}
