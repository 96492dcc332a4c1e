package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A lab that stays, its nodes in processes of their own, used by other commands. */
@Tag("system")
class LabUpSystemTest {
    @TempDir private Path folder;

    private final String name = "u" + ProcessHandle.current().pid();

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = hxb("lab", "down", "--all")) {
            down.status();
        }
    }

    @Test
    void shouldServeOtherCommandsUntilItIsTakenDown() throws Exception {
        // given
        try (HxbProcess up =
                hxb(
                        "lab",
                        "up",
                        "--shape",
                        "2",
                        "--links",
                        "2",
                        "--backend",
                        "udp",
                        "--processes",
                        "--name",
                        name,
                        "--json")) {
            assertEquals(Hxb.OK, up.status(), () -> up.output() + up.errors());
            assertEquals(true, up.json().get("ok"));
        }
        final Path file = folder.resolve("run/labs/" + name + "/cluster.yaml");

        // when, then: ping, perf and stat find it
        try (HxbProcess ping = hxb("ping", "1", "--name", name, "--count", "50", "--json")) {
            assertEquals(Hxb.OK, ping.status(), ping::errors);
            assertEquals(100, ping.json().get("messages"));
        }
        try (HxbProcess perf =
                hxb("perf", "1", "--name", name, "--seconds", "0.3", "--size", "64", "--json")) {
            assertEquals(Hxb.OK, perf.status(), perf::errors);
            assertEquals(0, perf.json().get("lost"));
        }
        try (HxbProcess stat = hxb("stat", "--name", name, "--json")) {
            assertEquals(Hxb.OK, stat.status(), stat::errors);
            final List<?> nodes = (List<?>) stat.json().get("nodes");
            assertEquals(2, nodes.size());
            assertEquals("running", ((Map<?, ?>) nodes.getFirst()).get("state"));
        }

        try (HxbProcess stat =
                hxb("stat", "--name", name, "--links", "--watch", "0.2", "--times", "2")) {
            assertEquals(Hxb.OK, stat.status(), stat::errors);
            assertTrue(stat.output().contains("link, in all"), stat::output);
            assertTrue(stat.output().contains("link, a second"), stat::output);
            assertTrue(stat.output().contains("x.1"), stat::output);
        }

        checkTop();

        // and: a second node on the same socket is refused, and the first goes on
        try (HxbProcess second = hxb("node", "--config", file.toString(), "--node", "0")) {
            assertEquals(Hxb.FAILED, second.status(), second::output);
            assertTrue(second.errors().contains("hxb:"), second::errors);
        }
        try (HxbProcess ping = hxb("ping", "1", "--name", name, "--count", "5")) {
            assertEquals(Hxb.OK, ping.status(), ping::errors);
        }

        // and: it goes without a trace
        try (HxbProcess down = hxb("lab", "down", "--name", name)) {
            assertEquals(Hxb.OK, down.status(), down::errors);
        }
        assertFalse(Files.exists(file));
    }

    private void checkTop() throws Exception {
        try (HxbProcess top =
                hxb("top", "--name", name, "--interval", "0.1", "--count", "2", "--json")) {
            assertEquals(Hxb.OK, top.status(), top::errors);
            assertEquals(2, top.output().lines().count());
            final Map<?, ?> node = (Map<?, ?>) ((List<?>) top.json().get("nodes")).getFirst();
            assertEquals("running", node.get("state"));
            final Map<?, ?> link = (Map<?, ?>) ((List<?>) node.get("links")).getLast();
            assertEquals("x.1", link.get("link"));
            assertEquals("good", link.get("state"));
            assertEquals(100, link.get("weight_percent"));
        }
        try (HxbProcess top = hxb("top", "--name", name, "--interval", "0.1", "--count", "1")) {
            assertEquals(Hxb.OK, top.status(), top::errors);
            assertTrue(top.output().contains("last reason"), top::output);
        }
    }

    private HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }
}
