package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The tables of docs/reference/configuration.md. Stateless. */
public final class ConfigurationPage {
    private ConfigurationPage() {}

    /** One key of the file, as the page describes it, without backticks. Immutable. */
    public record Row(String key, String type, String fallback, String limits) {
        /** The section that the key is in; empty for keys of the whole file. */
        public String section() {
            return key.contains(".") ? key.substring(0, key.indexOf('.')) : "";
        }

        /** True if the limits are a range such as {@code 1..64}. */
        public boolean hasRange() {
            return limits.matches("\\S+\\.\\.\\S+");
        }

        /** The first value of the range. */
        public String min() {
            return limits.substring(0, limits.indexOf(".."));
        }

        /** The last value of the range. */
        public String max() {
            return limits.substring(limits.indexOf("..") + 2);
        }
    }

    /** All keys of the page. */
    public static List<Row> rows() {
        final Path page =
                Path.of(System.getProperty("hxb.root"), "docs/reference/configuration.md");
        final List<Row> rows = new ArrayList<>();
        try {
            for (final String line : Files.readAllLines(page)) {
                if (line.startsWith("| `")) {
                    final String[] cells = line.split("\\|", -1);
                    assertEquals(7, cells.length, line);
                    rows.add(
                            new Row(
                                    cells[1].strip().replace("`", ""),
                                    cells[2].strip(),
                                    cells[3].strip(),
                                    cells[4].strip()));
                }
            }
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        return rows;
    }
}
