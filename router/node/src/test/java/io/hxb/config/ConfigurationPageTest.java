package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterKeys.Entry;
import io.hxb.config.yaml.ClusterConfigYaml;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tables of docs/reference/configuration.md, which are made from the descriptors. */
@Tag("unit")
class ConfigurationPageTest {
    private static final Path PAGE =
            Path.of(System.getProperty("hxb.root"), "docs/reference/configuration.md");
    private static final String BASE = "shape: 2x2\nlinks: 1\n";
    private static final String UNKNOWN = "thisKeyIsNotKnownToAnybodyAtAll";
    private static final int MAX_WORDS = 25;
    private static final Pattern LINK = Pattern.compile("\\(#([a-z0-9-]+)\\)");

    private static List<Entry> entries() {
        return ClusterKeys.all();
    }

    @Test
    void shouldHaveTheKeysAsTheyAre() throws IOException {
        // given
        final String page = Files.readString(PAGE);
        // when
        final String expected =
                replaced(replaced(page, "basic", table(true)), "advanced", table(false));
        if (Boolean.getBoolean("hxb.write")) {
            Files.writeString(PAGE, expected);
        }
        // then
        assertEquals(
                expected,
                Files.readString(PAGE),
                PAGE
                        + " is old; run: mvn test -pl router/node -am"
                        + " -Dtest=ConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dhxb.write=true");
    }

    private static String replaced(final String page, final String name, final String table) {
        final String begin = "<!-- " + name + " keys, made by ConfigurationPageTest -->\n";
        final String end = "<!-- end of " + name + " keys -->";
        assertTrue(page.contains(begin) && page.contains(end), begin + " and " + end);
        return page.substring(0, page.indexOf(begin) + begin.length())
                + table
                + page.substring(page.indexOf(end));
    }

    private static String table(final boolean isBasic) {
        return entries().stream()
                .filter(entry -> entry.key().isBasic() == isBasic)
                .map(ConfigurationPageTest::row)
                .collect(
                        Collectors.joining(
                                "",
                                """
                                | key | type | default | limits | meaning |
                                | --- | --- | --- | --- | --- |
                                """,
                                ""));
    }

    private static String row(final Entry entry) {
        return "| `%s` | %s | %s | %s | %s |\n"
                .formatted(
                        entry.path(),
                        entry.key().type().label(),
                        entry.key().documentedFallback(),
                        entry.limits(),
                        entry.key().meaning())
                .replace("|  |", "| |");
    }

    @ParameterizedTest
    @MethodSource("entries")
    void shouldReportInOneSentenceWhatItIs(final Entry entry) throws IOException {
        final String meaning = entry.key().meaning();
        final String words = meaning.replaceAll("\\(\\[.*?]\\(.*?\\)\\)|]\\(.*?\\)", "");
        assertTrue(meaning.matches("[A-Z].*\\.") && !words.matches(".*\\. .*"), meaning);
        assertTrue(words.split(" ", -1).length <= MAX_WORDS, meaning);
        final Matcher link = LINK.matcher(meaning + entry.key().documentedFallback());
        while (link.find()) {
            assertTrue(anchors().contains(link.group(1)), link.group(1));
        }
    }

    private static List<String> anchors() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "").toLowerCase(java.util.Locale.ROOT))
                .map(heading -> heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
                .toList();
    }

    @Test
    void shouldNameExactlyTheKeysThatTheReaderKnows() {
        // given
        final Set<String> known = new TreeSet<>();
        final Set<String> sections = new TreeSet<>(Set.of("udp", "nodes", "hosts", "tenants"));
        ClusterKeys.PARTS.forEach(part -> sections.add(part.section().name()));
        knownIn(BASE + UNKNOWN + ": 1\n", "", known);
        assertTrue(known.removeAll(sections));
        for (final String section : sections) {
            if (!List.of("nodes", "hosts", "tenants").contains(section)) {
                knownIn(BASE + section + ":\n  " + UNKNOWN + ": 1\n", section + ".", known);
            }
        }
        knownIn(BASE + "nodes:\n  1,0:\n    " + UNKNOWN + ": 1\n", "nodes.COORDINATES.", known);
        knownIn(
                "cabling: any\nnics: [eth0]\nnodes:\n  1:\n    " + UNKNOWN + ": 1\n",
                "nodes.COORDINATES.",
                known);
        knownIn("tenants:\n  a:\n    " + UNKNOWN + ": 1\n" + BASE, "tenants.NAME.", known);
        known.add("hosts.NAME");

        // when
        final Set<String> described = new TreeSet<>();
        entries().forEach(entry -> assertTrue(described.add(entry.path()), entry.path()));

        // then
        assertEquals(known, described);
    }

    private static void knownIn(final String text, final String prefix, final Set<String> known) {
        final ConfigException thrown =
                assertThrows(
                        ConfigException.class, () -> ClusterConfigYaml.parse(text, "test"), prefix);
        final String message = thrown.getMessage();
        final String before = "is not known; known are ";
        assertTrue(message.contains(before), message);
        final String list = message.substring(message.indexOf(before) + before.length());
        for (final String key : list.lines().findFirst().orElseThrow().split(", ", -1)) {
            known.add(prefix + key.strip());
        }
    }
}
