package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.testing.ConfigurationPage;
import io.hxb.testing.ConfigurationPage.Row;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The page docs/reference/configuration.md against the reader: keys, defaults and limits. */
@Tag("unit")
class ConfigurationPageTest {
    private static final String BASE = "shape: 2x2\nlinks: 1\n";
    private static final String UNKNOWN = "thisKeyIsNotKnownToAnybodyAtAll";
    private static final List<String> SECTIONS =
            List.of(
                    "udp",
                    "flow",
                    "trunk",
                    "pool",
                    "loop",
                    "socket",
                    "frame",
                    "context",
                    "limits",
                    "attach",
                    "security",
                    "manager",
                    "pathHealth");

    private final List<Row> rows = ConfigurationPage.rows();

    @Test
    void shouldNameExactlyTheKeysThatTheReaderKnows() {
        // given
        final Set<String> known = new TreeSet<>();
        knownIn(BASE + UNKNOWN + ": 1\n", "", known);
        for (final String section : SECTIONS) {
            knownIn(BASE + section + ":\n  " + UNKNOWN + ": 1\n", section + ".", known);
        }
        knownIn(BASE + "nodes:\n  1,0:\n    " + UNKNOWN + ": 1\n", "nodes.COORDINATES.", known);
        known.removeAll(SECTIONS);
        known.remove("nodes");
        known.remove("hosts");
        knownIn("tenants:\n  a:\n    " + UNKNOWN + ": 1\n" + BASE, "tenants.NAME.", known);
        known.remove("tenants");
        known.add("hosts.NAME");

        // when
        final Set<String> described = new TreeSet<>();
        rows.forEach(row -> assertTrue(described.add(row.key()), row.key() + " is there twice"));

        // then
        assertEquals(known, described);
    }

    @Test
    void shouldHaveAKeyForEachValueOfTheRecords() {
        int sections = 0;
        for (final RecordComponent component : ClusterConfig.class.getRecordComponents()) {
            if (SECTIONS.contains(component.getName())) {
                final long keys =
                        rows.stream()
                                .filter(row -> row.section().equals(component.getName()))
                                .count();
                assertEquals(values(component.getType()), keys, component.getName());
                sections++;
            }
        }
        assertEquals(SECTIONS.size() - 1, sections, "all but udp, which is part of the links");
    }

    private static int values(final Class<?> type) {
        int values = 0;
        for (final RecordComponent component : type.getRecordComponents()) {
            values += component.getType().isRecord() ? values(component.getType()) : 1;
        }
        return values;
    }

    @Test
    void shouldGiveTheDefaults() {
        final ClusterConfig byDefault = ClusterConfigYaml.parse(BASE, "test");
        int checked = 0;
        for (final Row row : rows) {
            if (row.fallback().matches("`.*`") && !row.key().matches(".*(COORDINATES|NAME).*")) {
                final String value = row.fallback().substring(1, row.fallback().length() - 1);
                final String text = BASE + line(row.key(), value);
                assertEquals(byDefault, ClusterConfigYaml.parse(text, "test"), row.key());
                checked++;
            }
        }
        assertTrue(checked > 30, "only " + checked + " defaults");
    }

    @Test
    void shouldGiveTheLimits() {
        int checked = 0;
        for (final Row row : rows) {
            if (row.hasRange()) {
                final String text = BASE + line(row.key(), tooMuch(row));
                final ConfigException thrown =
                        assertThrows(
                                ConfigException.class,
                                () -> ClusterConfigYaml.parse(text, "test"),
                                row.key());
                assertTrue(
                        thrown.getMessage().contains(row.limits())
                                || thrown.getMessage().contains(row.limits().replace("..", " to ")),
                        row.key() + " " + row.limits() + ": " + thrown.getMessage());
                checked++;
            }
        }
        assertTrue(checked > 20, "only " + checked + " limits");
    }

    private static String tooMuch(final Row row) {
        if (row.key().endsWith("cpus")) {
            return "5000";
        }
        return row.type().startsWith("duration")
                ? "1000min"
                : row.type().startsWith("size")
                        ? Long.toString(Quantity.parseSizeBytes(row.max()) + 64)
                        : Long.toString(Long.decode(row.max()) + 1);
    }

    private static String line(final String key, final String value) {
        final int dot = key.indexOf('.');
        return dot < 0
                ? key + ": " + value + "\n"
                : key.substring(0, dot) + ":\n  " + key.substring(dot + 1) + ": " + value + "\n";
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
