package io.hxb.observe.live;

import java.util.List;
import java.util.regex.Pattern;

/** Names that are wanted, in which {@code *} stands for any text. Immutable. */
public final class NameFilter {
    private final List<Pattern> patterns;

    private NameFilter(final List<Pattern> patterns) {
        this.patterns = patterns;
    }

    /**
     * Makes one of what people write, such as {@code x.0} and {@code x.*}.
     *
     * @param names patterns; none lets everything pass.
     */
    public static NameFilter of(final List<String> names) {
        return new NameFilter(names.stream().map(NameFilter::pattern).toList());
    }

    private static Pattern pattern(final String name) {
        final StringBuilder text = new StringBuilder();
        for (final String part : name.strip().split("((?<=\\*)|(?=\\*))", -1)) {
            text.append(part.equals("*") ? ".*" : Pattern.quote(part));
        }
        return Pattern.compile(text.toString());
    }

    /** True if everything passes. */
    public boolean isOpen() {
        return patterns.isEmpty();
    }

    /** True if the name is wanted. */
    public boolean matches(final String name) {
        return isOpen() || patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }
}
