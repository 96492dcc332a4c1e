package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;

/** The README quotes code and names commands; neither may drift from what is there. */
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
                Files.readString(ROOT.resolve("README.md")).contains(quoted),
                () -> "README.md does not quote this any more:\n" + quoted);
    }

    @Test
    void shouldNameOnlyCommandsThatExist() throws IOException {
        // given
        final var commands =
                new HashSet<>(new picocli.CommandLine(new Hxb()).getSubcommands().keySet());

        // when
        final var named =
                Files.readAllLines(ROOT.resolve("README.md")).stream()
                        .filter(line -> line.startsWith("deploy/hxb "))
                        .map(line -> line.split(" ", -1)[1])
                        .filter(word -> !word.startsWith("-"))
                        .distinct()
                        .toList();

        // then
        assertTrue(named.size() > 3, named::toString);
        assertTrue(commands.containsAll(named), () -> named + " but there are " + commands);
    }

    @Test
    void shouldShowAClusterFileThatCanBeRead() throws IOException {
        // given
        final String readme = Files.readString(ROOT.resolve("README.md"));
        final int start = readme.indexOf("```yaml\n") + 8;
        final String yaml = readme.substring(start, readme.indexOf("   ```", start)).indent(-3);

        // when
        final var config = io.hxb.config.yaml.ClusterConfigYaml.parse(yaml, "README.md");

        // then
        assertTrue(config.links(0).size() == 6, yaml);
    }
}
