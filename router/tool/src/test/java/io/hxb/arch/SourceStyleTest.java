package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Rules of the house style for sources that a compiler does not check. */
@Tag("unit")
class SourceStyleTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest)\\b");
    private static final Pattern TAG =
            Pattern.compile("@Tag\\(\"(unit|property|simulation|system|concurrency|long)\"\\)");

    private static final Pattern CLASS_NAME = Pattern.compile("io\\.hxb(\\.[a-z]+)+\\.[A-Z]\\w*");

    /** Classes and package texts of all modules by folder, {@code main} or {@code test}. */
    private static Map<Path, List<Path>> sources(final String kind) throws IOException {
        final Map<Path, List<Path>> folders = new TreeMap<>();
        for (final String module : Modules.ALL) {
            final Path source = ROOT.resolve(module).resolve("src").resolve(kind).resolve("java");
            if (!Files.isDirectory(source)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(source)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !file.endsWith("module-info.java"))
                        .forEach(
                                file ->
                                        folders.computeIfAbsent(
                                                        file.getParent(), key -> new ArrayList<>())
                                                .add(file));
            }
        }
        assertTrue(folders.size() > 5, "sources were not found in " + ROOT);
        return folders;
    }

    @Test
    void shouldReportOfEveryPackageWhatItIs() throws IOException {
        // when
        final List<Path> silent =
                sources("main").entrySet().stream()
                        .filter(
                                entry ->
                                        !entry.getValue()
                                                .contains(
                                                        entry.getKey()
                                                                .resolve("package-info.java")))
                        .map(Map.Entry::getKey)
                        .toList();
        // then
        assertEquals(List.of(), silent);
    }

    @Test
    void shouldTagEveryTest() throws IOException {
        // when
        final List<Path> untagged =
                sources("test").values().stream()
                        .flatMap(List::stream)
                        .filter(
                                file ->
                                        TEST.matcher(text(file)).find()
                                                && !TAG.matcher(text(file)).find())
                        .toList();
        // then
        assertEquals(List.of(), untagged);
    }

    @Test
    void shouldCallEveryLoggerByOneName() throws IOException {
        // when
        final List<Path> others =
                sources("main").values().stream()
                        .flatMap(List::stream)
                        .filter(file -> text(file).matches("(?s).*\\bLogger (?!LOGGER\\b)\\w+ =.*"))
                        .toList();
        // then
        assertEquals(List.of(), others);
    }

    private static String text(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A renaming changes no script, which fails only when somebody runs it. */
    @Test
    void shouldNameOnlyClassesThatExistInScripts() throws IOException {
        // given
        final Set<String> classes = new TreeSet<>();
        for (final Path file : Modules.sources()) {
            final String name = file.toString();
            classes.add(
                    name.substring(name.lastIndexOf("/java/io/hxb/") + "/java/".length())
                            .replace(".java", "")
                            .replace('/', '.'));
        }
        // when
        final List<String> missing = new ArrayList<>();
        for (final String script : List.of("benchmarks/run", "deploy/hxb", "deploy/aot")) {
            CLASS_NAME
                    .matcher(Files.readString(ROOT.resolve(script)))
                    .results()
                    .map(MatchResult::group)
                    .filter(name -> !classes.contains(name))
                    .forEach(name -> missing.add(script + ": " + name));
        }
        // then
        assertEquals(List.of(), missing);
    }
}
