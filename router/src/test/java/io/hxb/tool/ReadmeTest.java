package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * The README and the pages under docs quote code and commands; neither may drift from the source.
 */
@Tag("unit")
class ReadmeTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", ".."));

    @Test
    void shouldQuoteTheCompiledSample() throws IOException {
        // given
        final String sample =
                Files.readString(ROOT.resolve("examples/src/main/java/io/hxb/example/Hello.java"));
        final String body =
                sample.substring(
                        sample.indexOf("// begin\n") + 9, sample.indexOf("        // end\n"));

        // when
        final String quoted = body.indent(-8).strip();

        // then
        assertTrue(
                Files.readString(ROOT.resolve("docs/api.md")).contains(quoted),
                () -> "docs/api.md does not quote this any more:\n" + quoted);
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
        final String page = Files.readString(ROOT.resolve("docs/real-nics.md"));
        final int start = page.indexOf("```yaml\n") + 8;
        final String yaml = page.substring(start, page.indexOf("   ```", start)).indent(-3);

        // when
        final var config = io.hxb.config.yaml.ClusterConfigYaml.parse(yaml, "real-nics.md");

        // then
        assertTrue(config.links(0).size() == 6, yaml);
    }

    /** The README and all pages under docs, decisions excepted. */
    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md")),
                            files.filter(file -> file.toString().endsWith(".md")))
                    .toList();
        }
    }
}
