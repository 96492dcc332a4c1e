package io.hxb.tool.top;

/** The kind of a piece of text on the screen, which decides its colour. */
enum TextStyle {
    /** Ordinary text. */
    PLAIN,
    /** The first line and the last. */
    TITLE,
    /** Heading of a column. */
    HEADING,
    /** Heading of the column that rows are sorted by. */
    SORTED,
    /** As it should be. */
    GOOD,
    /** Works, but could be better. */
    WARNING,
    /** Does not work. */
    BAD
}
