package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The pages that are made from the commands. */
@Tag("unit")
class CommandReferenceTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", ".."));

    private static void assertUpToDate(final String page, final String expected)
            throws IOException {
        final Path file = ROOT.resolve(page);
        if (Boolean.getBoolean("hxb.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, expected);
        }
        assertEquals(
                expected,
                Files.readString(file),
                page
                        + " is old; run: mvn test -pl router/tool -am -Dtest=CommandReferenceTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dhxb.write=true");
    }

    @Test
    void shouldHaveAPageOfAllCommandsAsTheyAre() throws IOException {
        assertUpToDate("docs/reference/commands.md", new CommandReference().markdown());
    }

    @Test
    void shouldHaveAManualPageOfAllCommandsAsTheyAre() throws IOException {
        assertUpToDate("docs/man/hxb.1", new CommandReference().manual());
    }
}
