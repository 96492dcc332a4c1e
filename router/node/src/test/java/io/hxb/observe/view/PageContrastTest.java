package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Contrast of the page's colours in both themes. Source: WCAG 2.2, 1.4.3 and 1.4.11, with the
 * definition of relative luminance there. Lines that only divide ({@code border}) and the buses of
 * the drawing ({@code bus}), whose place the coordinates beside them give, need none.
 */
@Tag("unit")
class PageContrastTest {
    private static final double TEXT = 4.5;
    private static final double GRAPHICS = 3;

    /** Text: its colour, and those that it stands on. */
    private static final Map<String, List<String>> TEXTS =
            Map.ofEntries(
                    Map.entry(
                            "text", List.of("back", "card", "hover", "cell-0", "cell-1", "cell-2")),
                    Map.entry("muted", List.of("back", "card", "hover")),
                    Map.entry("accent", List.of("card")),
                    Map.entry("card", List.of("cell-3", "cell-4")),
                    Map.entry("good-text", List.of("card", "good-back")),
                    Map.entry("failed", List.of("card", "bad-back")),
                    Map.entry("weak", List.of("card")),
                    Map.entry("down", List.of("card")),
                    Map.entry("in", List.of("card")),
                    Map.entry("out", List.of("card")));

    /** What is drawn on cards: links by load and state, edges of nodes, fields and the focus. */
    private static final List<String> DRAWN =
            List.of(
                    "link-0", "link-1", "link-2", "link-3", "link-4", "cell-3", "cell-4", "weak",
                    "alone", "failed", "down", "absent", "select", "accent", "edge", "muted");

    private static String css;

    @BeforeAll
    static void read() throws IOException {
        try (InputStream stream =
                NetworkView.class.getResourceAsStream("/io/hxb/observe/page/page.css")) {
            css = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void shouldHaveTheContrastThatReadersNeed(final String theme) {
        final Map<String, String> colours = colours(theme);
        final List<String> tooLow = new ArrayList<>();
        TEXTS.forEach(
                (text, backs) -> backs.forEach(back -> check(colours, text, back, TEXT, tooLow)));
        DRAWN.forEach(drawn -> check(colours, drawn, "card", GRAPHICS, tooLow));
        check(colours, "accent", "back", GRAPHICS, tooLow);
        check(colours, "edge", "back", GRAPHICS, tooLow);
        assertEquals(List.of(), tooLow, theme);
    }

    private static void check(
            final Map<String, String> colours,
            final String one,
            final String other,
            final double wanted,
            final List<String> tooLow) {
        final double contrast = contrast(colours.get(one), colours.get(other));
        if (contrast < wanted) {
            tooLow.add(String.format("%s on %s: %.2f < %.1f", one, other, contrast, wanted));
        }
    }

    @Test
    void shouldComputeContrastAsTheStandardDoes() {
        assertEquals(21, contrast("#000000", "#ffffff"), 1e-9);
        assertEquals(1, contrast("#1d5fa8", "#1d5fa8"), 1e-9);
        // The grey that is known as the palest for text on white.
        assertEquals(4.54, contrast("#767676", "#ffffff"), 0.005);
    }

    @Test
    void shouldTakeColoursOfTextAndEdgesFromTheThemesAlone() {
        final String rules = css.substring(css.indexOf("* { box-sizing"));
        final Matcher fixed = Pattern.compile("#[0-9a-fA-F]{3,8}\\b").matcher(rules);
        assertTrue(!fixed.find(), () -> "a colour without a theme: " + fixed.group());
    }

    private static Map<String, String> colours(final String theme) {
        final Map<String, String> colours = new HashMap<>();
        addColours("light", colours);
        addColours(theme, colours);
        return colours;
    }

    private static void addColours(final String theme, final Map<String, String> into) {
        final int at = css.indexOf("[data-theme=\"" + theme + "\"]");
        final String block = css.substring(at, css.indexOf('}', at));
        final Matcher colour = Pattern.compile("--([\\w-]+): (#[0-9a-f]{6});").matcher(block);
        while (colour.find()) {
            into.put(colour.group(1), colour.group(2));
        }
    }

    private static double contrast(final String one, final String other) {
        final double first = luminance(one);
        final double second = luminance(other);
        return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
    }

    private static double luminance(final String colour) {
        final int rgb = Integer.parseInt(colour.substring(1), 16);
        return 0.2126 * linear(rgb >> 16)
                + 0.7152 * linear(rgb >> 8 & 255)
                + 0.0722 * linear(rgb & 255);
    }

    private static double linear(final int value) {
        final double share = value / 255.0;
        return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }
}
