package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What documents name exists: classes, packages, files and decisions. */
@Tag("unit")
class DocumentsTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", ".."));
    private static final Path ARCHITECTURE = ROOT.resolve("ARCHITECTURE.md");
    private static final Path DECISIONS = ROOT.resolve("docs/adr");
    private static final int MAX_LINES = 160;
    private static final int MAX_DECISION_LINES = 40;

    @Test
    void shouldNameOnlyClassesThatExist() throws IOException {
        // given
        final Set<String> classes =
                sources()
                        .map(file -> file.getFileName().toString().replace(".java", ""))
                        .collect(Collectors.toSet());
        // when: names in code, and those of several words also in diagrams
        final Set<String> missing =
                names("`([A-Z][a-zA-Z0-9]*[a-z][a-zA-Z0-9]*)(?:\\.[a-zA-Z]+)?`");
        missing.addAll(names("\\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)\\b"));
        missing.removeAll(classes);
        // then
        assertEquals(Set.of(), missing, "ARCHITECTURE.md names classes that do not exist");
    }

    @Test
    void shouldNameOnlyPackagesThatExist() throws IOException {
        // given
        final Set<String> packages =
                sources()
                        .map(file -> file.getParent().toString().replace('/', '.'))
                        .filter(name -> name.contains("io.hxb"))
                        .map(name -> name.substring(name.indexOf("io.hxb")))
                        .collect(Collectors.toCollection(TreeSet::new));
        // when
        final Set<String> missing = names("`(io\\.hxb[a-z.]*)`");
        missing.removeIf(
                name -> packages.stream().anyMatch(it -> (it + ".").startsWith(name + ".")));
        // then
        assertEquals(Set.of(), missing, "ARCHITECTURE.md names packages that do not exist");
    }

    @Test
    void shouldKeepTheArchitectureShort() throws IOException {
        assertTrue(Files.readAllLines(ARCHITECTURE).size() <= MAX_LINES);
    }

    @Test
    void shouldKeepDecisionsShort() throws IOException {
        // when
        final List<Path> longOnes = new ArrayList<>();
        for (final Path page : list(DECISIONS)) {
            if (!page.endsWith("README.md")
                    && Files.readAllLines(page).size() > MAX_DECISION_LINES) {
                longOnes.add(page);
            }
        }
        // then
        assertEquals(List.of(), longOnes);
    }

    @Test
    void shouldListEveryDecisionByNumberAndTitle() throws IOException {
        // given
        final List<String> expected = new ArrayList<>();
        for (final Path page : list(DECISIONS)) {
            final String title = Files.readAllLines(page).getFirst();
            if (title.matches("# \\d{4}: .*")) {
                final String number = title.substring(2, 6);
                expected.add(
                        "| %s | [%s](%s) |"
                                .formatted(number, title.substring(8), page.getFileName()));
            }
        }
        // when
        final List<String> listed =
                Files.readAllLines(DECISIONS.resolve("README.md")).stream()
                        .filter(line -> line.matches("\\| \\d{4} .*"))
                        .toList();
        // then
        assertEquals(expected.size(), listed.size());
        for (int i = 0; i < listed.size(); i++) {
            assertTrue(listed.get(i).startsWith(expected.get(i)), listed.get(i));
            assertTrue(listed.get(i).startsWith("| %04d ".formatted(i + 1)), listed.get(i));
        }
    }

    @Test
    void shouldLinkOnlyToFilesAndSectionsThatExist() throws IOException {
        // given
        final List<Path> pages =
                Stream.of(list(ROOT), all(ROOT.resolve("docs")), all(ROOT.resolve("benchmarks")))
                        .flatMap(List::stream)
                        .toList();
        final List<String> broken = new ArrayList<>();
        // when
        for (final Path page : pages) {
            for (final String link : matches(page, "\\]\\(([^)\\s]+)\\)")) {
                if (!link.contains("://") && !isThere(page, link)) {
                    broken.add(page + ": " + link);
                }
            }
        }
        // then
        assertTrue(pages.size() > 30, "only " + pages.size() + " pages were found");
        assertEquals(List.of(), broken);
    }

    private static boolean isThere(final Path page, final String link) throws IOException {
        final int hash = link.indexOf('#');
        final String file = hash < 0 ? link : link.substring(0, hash);
        final Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (hash < 0 || !Files.exists(target)) {
            return Files.exists(target);
        }
        return Files.readAllLines(target).stream()
                .filter(line -> line.startsWith("#"))
                .map(DocumentsTest::anchor)
                .anyMatch(link.substring(hash + 1)::equals);
    }

    /** As forges make it of a heading: lower case, hyphens for spaces, no punctuation. */
    @Test
    void shouldHaveARowForEveryFinding() throws IOException {
        // given
        final Path folder = ROOT.resolve("findings");
        final Set<String> scripts = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".sh"))
                    .forEach(scripts::add);
        }
        // when: a row has the script, the software with its version, the guess and what is seen
        final List<String> rows =
                matches(
                        folder.resolve("README.md"),
                        "(?m)^\\| \\[([^]]+)\\]\\(\\1\\.sh\\) \\| [^|]*\\d[^|]* \\| [^|]+ \\| [^|]+"
                                + " \\|$");
        // then
        assertEquals(List.copyOf(scripts), rows.stream().map(name -> name + ".sh").toList());
    }

    private static String anchor(final String heading) {
        return heading.replaceFirst("#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 _-]", "")
                .replace(' ', '-');
    }

    private static Set<String> names(final String pattern) throws IOException {
        return new TreeSet<>(matches(ARCHITECTURE, pattern));
    }

    private static List<String> matches(final Path page, final String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(page))
                .results()
                .map((final MatchResult result) -> result.group(1))
                .toList();
    }

    private static Stream<Path> sources() throws IOException {
        return Modules.sources().stream();
    }

    private static List<Path> all(final Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> list(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
    }
}
