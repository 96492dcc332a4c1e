package io.hxb.tool.top;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the terminal and its user want: characters beyond ASCII, and colours. Immutable.
 *
 * @param isUnicode whether block characters are shown in one column each.
 * @param isColoured whether text may have colours and other attributes.
 */
record Glyphs(boolean isUnicode, boolean isColoured) {
    static final Glyphs ASCII = new Glyphs(false, false);

    private static final String BLOCKS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
    private static final String MARKS = " .:-=+*#@";

    /** Languages whose terminals may show block characters in two columns. */
    private static final List<String> WIDE = List.of("ja", "ko", "zh");

    /**
     * Decides by the environment: {@code LC_ALL}, {@code LC_CTYPE} or {@code LANG}, the first that
     * is set, names the character set; {@code NO_COLOR} (not empty) and {@code CLICOLOR=0} mean no
     * colours.
     */
    static Glyphs of(final Map<String, String> environment) {
        final String locale =
                Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                        .map(name -> environment.getOrDefault(name, ""))
                        .filter(value -> !value.isEmpty())
                        .findFirst()
                        .orElse("")
                        .toLowerCase(Locale.ROOT);
        final boolean isUtf8 = locale.contains("utf-8") || locale.contains("utf8");
        final boolean isPlain =
                !environment.getOrDefault("NO_COLOR", "").isEmpty()
                        || environment.getOrDefault("CLICOLOR", "").equals("0");
        return new Glyphs(isUtf8 && WIDE.stream().noneMatch(locale::startsWith), !isPlain);
    }

    /**
     * Draws values as a row of bars, one column each.
     *
     * @param values the newest last.
     * @param max value of the highest bar; 0 or less if there is none.
     * @param width columns; older values than fit are left out, missing ones are blank.
     */
    String bars(final List<Double> values, final double max, final int width) {
        final String levels = isUnicode ? BLOCKS : MARKS;
        final int last = levels.length() - 1;
        final List<Double> shown =
                values.subList(Math.max(0, values.size() - width), values.size());
        final StringBuilder text = new StringBuilder(" ".repeat(width - shown.size()));
        for (final double value : shown) {
            // Whatever is more than nothing is seen.
            final long level = max > 0 && value > 0 ? (long) Math.ceil(value / max * last) : 0;
            text.append(levels.charAt(Math.clamp(level, 0, last)));
        }
        return text.toString();
    }
}
