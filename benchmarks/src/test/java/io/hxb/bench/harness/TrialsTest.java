package io.hxb.bench.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

@Tag("unit")
@Isolated("system properties")
class TrialsTest {
    @TempDir private Path folder;

    @AfterEach
    void forget() {
        System.clearProperty(Trials.FILE);
        System.clearProperty(Trials.UNTIL);
    }

    @Test
    void shouldKeepWhatWasMeasuredAndWhyTheOtherFailed() throws Exception {
        // given
        final Path file = limited(3_600_000);
        final Contest contest =
                new Contest().add("good", () -> Map.of("rate", 2.0)).add("bad", TrialsTest::fail);

        // when
        final Contest.Results results = contest.run(2, Progress.of("what"));

        // then: one that has never worked is not tried again
        final List<String> lines = Files.readAllLines(file);
        assertEquals(3, lines.size());
        assertEquals(
                "{\"what\":\"what\",\"name\":\"good\",\"round\":0,\"figures\":{\"rate\":2.0}}",
                lines.getFirst());
        assertTrue(lines.get(1).contains("\"failure\":\"java.io.IOException: no\""), lines.get(1));
        assertEquals(List.of("good"), List.copyOf(results.series().keySet()));
    }

    @Test
    void shouldStartNothingAfterTheLimit() throws Exception {
        // given
        final Path file = limited(-1);

        // when
        final Contest.Results results =
                new Contest().add("late", () -> Map.of("rate", 2.0)).run(1, Progress.of("what"));

        // then
        assertTrue(results.series().isEmpty());
        assertTrue(Files.notExists(file));
    }

    private Path limited(final long milliseconds) {
        final Path file = folder.resolve("trials");
        System.setProperty(Trials.FILE, file.toString());
        System.setProperty(
                Trials.UNTIL, Long.toString(Instant.now().toEpochMilli() + milliseconds));
        return file;
    }

    private static Map<String, Double> fail() throws java.io.IOException {
        throw new java.io.IOException("no");
    }
}
