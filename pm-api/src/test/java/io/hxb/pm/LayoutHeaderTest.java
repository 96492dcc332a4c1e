package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

@Tag("unit")
class LayoutHeaderTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", ".."));

    @Test
    void shouldBeTheLayoutOfTheJavaClasses() throws Exception {
        final String committed = Files.readString(ROOT.resolve(LayoutHeader.PATH));
        assertEquals(
                LayoutHeader.text(),
                committed,
                "write " + LayoutHeader.PATH + " again with what LayoutHeader.main prints");
    }

    @Test
    void shouldBeUsedInCWhereverItIsALayout() throws Exception {
        final StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.walk(ROOT.resolve("pm-api/src/main/c"))) {
            for (final Path file : files.filter(each -> each.toString().endsWith(".c")).toList()) {
                sources.append(Files.readString(file));
            }
        }
        for (final String name : LayoutHeader.constants().keySet()) {
            if (name.matches("HXB_(SUBMISSION|COMPLETION|DELIVERY|EVENTS|LINKS)_.*")
                    && !name.equals("HXB_LINKS_LENGTH_BYTES")) {
                assertTrue(sources.indexOf(name) >= 0, name + " is not read or written in C");
            }
        }
    }
}
