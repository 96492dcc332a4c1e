package io.hxb.bench.manycpus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Tag("unit")
class OutcomesTest {
    @TempDir private Path folder;

    @Test
    void shouldWriteMediansAndRangesOfWhatIsThereSoFar() throws Exception {
        // given: three measurements, a failure, and a line that is being written
        final Path file = folder.resolve("out.json");
        final Path trials = folder.resolve("trials");
        Files.writeString(
                trials,
                """
                {"what":"w","name":"a","round":0,"figures":{"rate":3.0}}
                {"what":"w","name":"a","round":1,"figures":{"rate":1.0}}
                {"what":"w","name":"b","failure":"no CPU"}
                {"what":"w","name":"a","round":2,"figures":{"rate":8.0}}
                {"what":"w","name":"a","round":3,"figu\
                """);
        final Outcomes outcomes = new Outcomes(file);
        final ObjectNode experiment = outcomes.begin(Stage.of("e", 1, "relay-rate"));

        // when
        final List<String> fresh = outcomes.take(experiment, trials);
        outcomes.write();

        // then
        assertEquals(4, fresh.size());
        assertEquals(List.of(), outcomes.take(experiment, trials));
        final JsonNode results =
                new JsonMapper().readTree(Files.readString(file)).at("/experiments/0/results");
        assertEquals(3, results.at("/0/n").asInt());
        assertEquals(3.0, results.at("/0/rate/median").asDouble());
        assertEquals(1.0, results.at("/0/rate/min").asDouble());
        assertEquals(8.0, results.at("/0/rate/max").asDouble());
        assertEquals("no CPU", results.at("/1/failures/0").asString());
    }
}
