package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The register of attacks names classes and tests that exist. */
@Tag("unit")
class AttacksTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", ".."));
    private static final Path REGISTER = ROOT.resolve("router/tool/src/test/resources/attacks.md");
    private static final int COLUMNS = 6;

    /** A class in code, and a method or constant of it: {@code Name} or {@code Name.member}. */
    private static final Pattern NAME =
            Pattern.compile("`([A-Z][a-zA-Z0-9]*[a-z][a-zA-Z0-9]*)(?:\\.([a-zA-Z_]+))?`");

    @Test
    void shouldNameOnlyTestsThatExist() throws IOException {
        // given
        final Map<String, Path> sources = sources();
        final List<String> missing = new ArrayList<>();
        // when: the last column has the tests
        for (final String[] cells : rows()) {
            final Matcher name = NAME.matcher(cells[COLUMNS - 1]);
            while (name.find()) {
                final Path source = sources.get(name.group(1));
                if (source == null || !has(source, name.group(2))) {
                    missing.add(name.group());
                }
            }
        }
        // then
        assertEquals(List.of(), missing);
    }

    @Test
    void shouldNameOnlyClassesThatExist() throws IOException {
        // given
        final Map<String, Path> sources = sources();
        final List<String> missing = new ArrayList<>();
        // when: keys of systemd look like classes
        for (final String[] cells : rows()) {
            final Matcher name = NAME.matcher(cells[COLUMNS - 2]);
            while (name.find()) {
                final String word = name.group(1);
                if (!sources.containsKey(word) && !word.matches("LimitNOFILE|WatchdogSec")) {
                    missing.add(name.group());
                }
            }
        }
        // then
        assertEquals(List.of(), missing);
    }

    @Test
    void shouldHaveATestForNearlyEveryAttack() throws IOException {
        // when: without a test are what remains possible and what is seen by hand or by design
        final List<String[]> rows = rows();
        final long untested =
                rows.stream().filter(cells -> !NAME.matcher(cells[COLUMNS - 1]).find()).count();
        // then
        assertTrue(rows.size() >= 125, "only " + rows.size() + " rows were found");
        assertTrue(untested <= 8, untested + " rows have no test");
    }

    /** The cells of each row of the register, without its headings. */
    private static List<String[]> rows() throws IOException {
        return Files.readAllLines(REGISTER).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| attacker |"))
                .map(line -> line.substring(2, line.length() - 2).split(" \\| ", -1))
                .filter(cells -> cells.length == COLUMNS && !cells[0].equals("---"))
                .toList();
    }

    private static boolean has(final Path source, final String member) throws IOException {
        return member == null || Files.readString(source).contains(member);
    }

    /** Each source by the name of its class. */
    private static Map<String, Path> sources() throws IOException {
        final Map<String, Path> all = new HashMap<>();
        for (final Path file : Modules.sources()) {
            all.put(file.getFileName().toString().replace(".java", ""), file);
        }
        return all;
    }
}
