package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SampleGraphs;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The keys of JSON objects are those that {@code docs/reference/json.md} lists, and no others. */
@Tag("unit")
class PlanKeysCliTest {
    /** Objects whose keys are names from the input. */
    private static final Set<String> BY_NAME =
            Set.of("traffic", "left_out", "hosts_per_vlan", "texts");

    @TempDir private Path folder;

    private static Set<String> documented(final String heading) {
        return new TreeSet<>(JsonPage.keys("hxb " + heading));
    }

    /** Adds the keys of an object, with those of the objects in it after a dot. */
    private static void addKeys(final String prefix, final Object value, final Set<String> keys) {
        if (value instanceof Map<?, ?> map) {
            map.forEach(
                    (key, inner) -> {
                        final String last = prefix.substring(prefix.lastIndexOf('.') + 1);
                        // The traffic of a VLAN plan is one object, elsewhere one for each name.
                        final boolean isName =
                                BY_NAME.contains(last) && !map.containsKey("load_before");
                        final String name = isName ? "*" : key.toString();
                        addKeys(prefix.isEmpty() ? name : prefix + "." + name, inner, keys);
                    });
        } else if (value instanceof List<?> list
                && !list.isEmpty()
                && list.getFirst() instanceof Map) {
            list.forEach(inner -> addKeys(prefix, inner, keys));
        } else {
            keys.add(prefix);
        }
    }

    private static void addKeys(final Set<String> keys, final String... arguments) {
        final PlanOutput output = PlanOutput.of(arguments);
        assertEquals(
                "", output.errors().lines().filter(l -> l.startsWith("hxb:")).findAny().orElse(""));
        addKeys("", output.json(), keys);
    }

    @Test
    void shouldDocumentTheKeysOfRoutes() throws IOException {
        // when
        final Set<String> keys = new TreeSet<>();
        final Set<String> written = new TreeSet<>();
        for (final String algorithm :
                List.of("updown-dfs", "multi-tree", "silla", "in-transit", "minimal")) {
            final String file = folder.resolve(algorithm + ".json").toString();
            addKeys(
                    keys,
                    "routes",
                    "--graph=torus:5x5",
                    "--path=0,5",
                    "--json",
                    "--algorithm=" + algorithm,
                    "--out=" + file);
            final String text = Files.readString(Path.of(file));
            addKeys("", Json.parse(text, Map.class, file), written);
        }
        final String perHost = folder.resolve("per-host.json").toString();
        addKeys(
                keys,
                "routes",
                "--graph=torus:5x5",
                "--selection=balanced",
                "--json",
                "--algorithm=updown-dfs",
                "--out=" + perHost);
        addKeys("", Json.parse(Files.readString(Path.of(perHost)), Map.class, perHost), written);
        // then
        assertEquals(documented("plan routes"), keys);
        assertEquals(documented("plan routes --out FILE.json"), written);
        assertTrue(written.size() > 30, written.toString());
    }

    @Test
    void shouldDocumentTheKeysOfCompare() throws IOException {
        // when
        final Set<String> keys = new TreeSet<>();
        addKeys(keys, "compare", "--graph=torus:5x5", "--json");
        // then
        assertEquals(documented("plan compare"), keys);
    }

    @Test
    void shouldDocumentTheKeysOfCheck() throws IOException {
        // given
        final Path routes = folder.resolve("routes.json");
        PlanOutput.of("routes", "--graph=mesh:3x3", "--algorithm=dl-ud", "--out=" + routes);
        final Path lfts = folder.resolve("lfts");
        final Path topology = folder.resolve("topology");
        Files.writeString(lfts, SampleGraphs.openSm("torus4x4-minhop-lfts.dump"));
        Files.writeString(topology, SampleGraphs.openSm("torus4x4-subnet.lst"));
        // when
        final Set<String> keys = new TreeSet<>();
        addKeys(keys, "check", "--routes=" + routes, "--json");
        addKeys(keys, "check", "--lfts=" + lfts, "--topology=" + topology, "--json");
        // then
        assertEquals(documented("plan check"), keys);
    }

    @Test
    void shouldDocumentTheKeysOfVlanPlans() throws IOException {
        // when
        final Set<String> keys = new TreeSet<>();
        addKeys(keys, "vlan", "--graph=torus:4x4", "--dialect=ovs", "--json");
        addKeys(
                keys,
                "vlan",
                "--graph=torus:4x4",
                "--dialect=ovs",
                "--json",
                "--out=" + folder.resolve("out"));
        addKeys(
                keys,
                "vlan",
                "--graph=vbft:4,4",
                "--hosts-per-switch=4",
                "--kind=host-tagged",
                "--traffic=kernel-cg",
                "--json");
        // then
        assertEquals(documented("plan vlan"), keys);
    }
}
