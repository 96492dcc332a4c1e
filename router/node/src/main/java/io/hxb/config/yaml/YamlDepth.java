package io.hxb.config.yaml;

/**
 * Looks how deep a text of YAML may be nested before it is read, as reading takes a call for each
 * level and time for each pair of them. Stateless.
 */
final class YamlDepth {
    /** Lists and mappings within one another; files of ours have four. */
    static final int MAX_DEPTH = 64;

    /** Spaces before the first word of a line. */
    private static final int MAX_INDENT = 1_024;

    private YamlDepth() {}

    /**
     * The first line that is nested too deeply, 0 if there is none. Brackets in quotes and comments
     * count too; no text that people write has that many without closing them.
     */
    static int tooDeep(final String text) {
        int line = 1;
        int brackets = 0;
        int dashes = 0;
        int indent = 0;
        boolean isStart = true;
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            if (c == '\n') {
                line++;
                dashes = 0;
                indent = 0;
                isStart = true;
            } else if (c == '[' || c == '{') {
                brackets++;
                isStart = false;
            } else if (c == ']' || c == '}') {
                brackets = Math.max(0, brackets - 1);
                isStart = false;
            } else if (isStart) {
                indent += c == ' ' ? 1 : 0;
                dashes += c == '-' || c == '?' || c == ':' ? 1 : 0;
                isStart = c == ' ' || c == '-' || c == '?' || c == ':';
            }
            if (brackets > MAX_DEPTH || indent > MAX_INDENT || (isStart && dashes > MAX_DEPTH)) {
                return line;
            }
        }
        return 0;
    }
}
