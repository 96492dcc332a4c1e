package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.observe.ObserveServer;
import io.hxb.observe.ServingTurn;
import io.hxb.observe.live.LinkCondition;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A history that another process goes on with. */
@Tag("unit")
class HistoryFileTest {
    private static final long START_MS = 1_700_000_000_000L;

    @TempDir private Path folder;

    private Path path() {
        return folder.resolve("c.history");
    }

    // One second after another, with the second's number as first rate.
    private static void run(
            final HistoryFile file, final History history, final int from, final int to) {
        for (int second = from; second < to; second++) {
            history.add("0/x.0", new long[] {second, 2, 3, 4, 5}, second % 2);
            if (second >= 2) {
                history.add("1/", new long[] {7, second}, 1);
            }
            file.append(history, START_MS + 1_000L * second);
        }
    }

    private History loaded(final long nowMs) {
        final History history = new History();
        new HistoryFile(path()).load(history, nowMs);
        return history;
    }

    @Test
    void shouldGoOnWhereTheProcessBeforeEnded() {
        // given: a series begins later than the other one
        run(new HistoryFile(path()), new History(), 0, 5);
        // when
        final History history = new History();
        final HistoryFile second = new HistoryFile(path());
        second.load(history, START_MS + 6_000);
        run(second, history, 6, 8);
        // then
        final History third = loaded(START_MS + 8_000);
        for (final History each : List.of(history, third)) {
            assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 6L, 7L), each.values("0/x.0", 0));
            assertEquals(List.of(0L, 1L, 0L, 1L, 0L, 0L, 1L), each.values("0/x.0", 5));
            assertEquals(List.of(2L, 3L, 4L, 6L, 7L), each.values("1/", 1));
        }
    }

    @Test
    void shouldBeContinuedByTheServerThatTakesOver() {
        // given: two servers, of which the second waits
        final GeneratedNetwork network = new GeneratedNetwork(Shape.of(2), 1);
        network.set(1, "x.0", LinkCondition.DOWN);
        final LiveNetwork first = live(network, "first");
        final LiveNetwork second = live(network, "second");
        final ObserveServer serving = serve(first);
        serving.listening().join();
        try (ObserveServer waiting = serve(second)) {
            Browser.await("a look", 20, () -> !states(first).isEmpty());
            // when
            network.set(1, "x.0", LinkCondition.GOOD);
            serving.close();
            waiting.listening().join();
            // then
            Browser.await("a look of the other", 20, () -> !states(second).isEmpty());
            final List<String> states = states(second);
            assertEquals("down", states.getFirst());
            assertEquals("good", states.getLast());
        }
    }

    private LiveNetwork live(final GeneratedNetwork network, final String run) {
        return new LiveNetwork(
                network.plan(),
                network,
                run,
                Optional.of(new HistoryFile(path())),
                Optional.of(new TimelineFile(folder.resolve("c.timeline"))));
    }

    private ObserveServer serve(final LiveNetwork network) {
        final ObserveServer.Builder server =
                new ObserveServer.Builder(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .turn(new ServingTurn(folder.resolve("c.lock")));
        NetworkView.addTo(server, network);
        return server.start();
    }

    private static List<String> states(final LiveNetwork network) {
        final List<String> states = new ArrayList<>();
        network.history(1, "x.0")
                .ifPresent(
                        json ->
                                JsonMapper.builder()
                                        .build()
                                        .readTree(json)
                                        .get("states")
                                        .forEach(state -> states.add(state.asString())));
        return states;
    }

    @Test
    void shouldKeepTenMinutes() throws IOException {
        // when
        run(new HistoryFile(path()), new History(), 0, 1_000);
        // then
        final List<Long> values = loaded(START_MS + 1_000_000).values("0/x.0", 0);
        assertEquals(History.SECONDS - 1, values.size());
        assertEquals(999, values.getLast());
        assertEquals(401, values.getFirst());
        assertEquals(12 + 7 + 4 + History.SECONDS * (16 + 2 * 24L), Files.size(path()), "it grows");
    }

    @Test
    void shouldForgetWhatIsOldOrDamaged() throws IOException {
        // given
        run(new HistoryFile(path()), new History(), 0, 5);
        // when, then
        assertEquals(5, loaded(START_MS + 5_000).values("0/x.0", 0).size());
        assertEquals(List.of(), loaded(START_MS + 20_000).values("0/x.0", 0));
        final byte[] bytes = Files.readAllBytes(path());
        for (int length = 0; length < bytes.length; length += 3) {
            Files.write(path(), java.util.Arrays.copyOf(bytes, length));
            loaded(START_MS + 5_000);
        }
        bytes[9] = 1;
        Files.write(path(), bytes);
        assertEquals(List.of(), loaded(START_MS + 5_000).values("0/x.0", 0));
        Files.delete(path());
        assertEquals(List.of(), loaded(START_MS + 5_000).values("0/x.0", 0));
    }
}
