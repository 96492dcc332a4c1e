package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The README and the pages under docs quote code and commands; neither may drift from the source.
 */
@Tag("unit")
class ReadmeTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", ".."));
    private static final String EXAMPLES = "examples/src/main/java/io/hxb/example";
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\n(.*?)```");
    private static final Pattern REGION = Pattern.compile("(?ms)^( *)// begin\n(.*?)^ *// end$");

    private static final Pattern C_REGION =
            Pattern.compile("(?s)/\\* begin \\*/\n(.*?)/\\* end \\*/");

    @Test
    void shouldShowOnlyProgramsThatAreCompiledAndRun() throws IOException {
        // given what DocumentProgramsSystemTest and HelloSystemTest run
        final var samples = new HashSet<String>();
        try (Stream<Path> files = Files.list(ROOT.resolve(EXAMPLES))) {
            for (final Path file : files.toList()) {
                samples.addAll(regions(Files.readString(file)));
            }
        }
        // when
        final var shown = new HashSet<String>();
        for (final Path page : pages()) {
            final Matcher block = JAVA_BLOCK.matcher(Files.readString(page));
            while (block.find()) {
                shown.add(block.group(1).strip());
            }
        }
        // then
        assertTrue(samples.size() >= 4, samples::toString);
        for (final String block : shown) {
            assertTrue(samples.contains(block), () -> "not of a file in examples:\n" + block);
        }
        for (final String sample : samples) {
            assertTrue(shown.contains(sample), () -> "no page shows this any more:\n" + sample);
        }
    }

    @Test
    void shouldShowTheProgramsInCAsTheyAre() throws IOException {
        // given what LibHxbSystemTest and RpcKillSystemTest compile and run
        final var samples = new ArrayList<String>();
        try (Stream<Path> files = Files.list(ROOT.resolve("examples/src/main/c"))) {
            for (final Path file : files.toList()) {
                final Matcher region = C_REGION.matcher(Files.readString(file));
                while (region.find()) {
                    samples.add("```c\n" + region.group(1) + "```");
                }
            }
        }
        // then
        assertTrue(!samples.isEmpty());
        final var text = new StringBuilder();
        for (final Path page : pages()) {
            text.append(Files.readString(page));
        }
        for (final String sample : samples) {
            assertTrue(text.indexOf(sample) >= 0, () -> "no page shows this:\n" + sample);
        }
    }

    /** What stands between begin and end in a program, without its indentation. */
    private static List<String> regions(final String program) {
        final Matcher region = REGION.matcher(program);
        final List<String> found = new ArrayList<>();
        while (region.find()) {
            found.add(region.group(2).indent(-region.group(1).length()).strip());
        }
        return found;
    }

    @Test
    void shouldNameOnlyCommandsThatExist() throws IOException {
        // given
        final var commands = new HashSet<>(Hxb.commandLine().getSubcommands().keySet());

        // when
        final var named = new HashSet<String>();
        for (final Path page : pages()) {
            Files.readAllLines(page).stream()
                    .map(line -> line.strip().replaceFirst("^sudo ", ""))
                    .filter(line -> line.startsWith("deploy/hxb "))
                    .map(line -> line.split(" ", -1)[1])
                    .filter(word -> !word.startsWith("-"))
                    .forEach(named::add);
        }

        // then
        assertTrue(named.size() > 10, named::toString);
        assertTrue(commands.containsAll(named), () -> named + " but there are " + commands);
    }

    @Test
    void shouldShowAClusterFileThatCanBeRead() throws IOException {
        // given
        final String page = Files.readString(ROOT.resolve("docs/howto/cluster.md"));
        final int start = page.indexOf("```yaml\n") + 8;
        final String yaml = page.substring(start, page.indexOf("   ```", start)).indent(-3);

        // when
        final var config = io.hxb.config.yaml.ClusterConfigYaml.parse(yaml, "cluster.md");

        // then
        assertTrue(config.links(0).size() == 6, yaml);
    }

    /** The README and all pages under docs, decisions excepted. */
    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md")),
                            files.filter(file -> file.toString().endsWith(".md"))
                                    .filter(file -> !file.toString().contains("/adr/")))
                    .toList();
        }
    }
}
