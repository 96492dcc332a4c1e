package io.hxb.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SecurityConfig;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The file of sessions: whose it is, how often it is written, in virtual time. */
@Tag("unit")
class SessionsFileTest {
    private static final long MS = 1_000_000L;
    private static final long START_NS = 7_000_000_000L;

    @TempDir private Path folder;
    private long nowNs = START_NS;
    private final SessionNode own = node(0);
    private Path path;
    private SessionsFile file;

    private static SessionNode node(final int id) {
        return new SessionNode(
                id, KeyRing.of(SessionNode.key(9)), id + 1, SecurityConfig.Mode.ENCRYPT);
    }

    @BeforeEach
    void makesTheFile() throws IOException {
        path = SessionsFile.beside(folder.resolve("lab-0.counters"));
        file = SessionsFile.create(path, own.sessions, () -> nowNs);
    }

    @AfterEach
    void closes() {
        file.close();
    }

    private void begin(final int id) {
        final SessionNode other = node(id);
        own.sessions.want(id, Sessions.ROUTED);
        for (int round = 0; round < 8; round++) {
            own.due(round).forEach(frame -> other.receive(frame, nowNs));
            other.due(round).forEach(frame -> own.receive(frame, nowNs));
        }
        assertTrue(own.sessions.hasSession(id));
    }

    private List<Integer> written() throws IOException {
        return SessionsFile.read(path).stream().map(SessionOrigin::high).toList();
    }

    private static String rights(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void shouldLieBesideTheCountersForItsOwnerAlone() throws IOException {
        assertEquals("lab-0.sessions", path.getFileName().toString());
        assertEquals(List.of(), written());
        assertEquals("rw-------", rights(path));
        // when it is written again
        begin(1);
        file.publish();
        // then
        assertEquals(own.sessions.origins(), SessionsFile.read(path));
        assertEquals("rw-------", rights(path));
        file.close();
        assertFalse(Files.exists(path));
    }

    @Test
    void shouldWriteTheFirstSessionAtOnceAndLaterOnesOnceInAWhile() throws IOException {
        // given
        begin(1);
        file.publish();
        assertEquals(List.of(1), written());
        final Object first = Files.readAttributes(path, "unix:ino").get("ino");
        // when others begin, one after the other
        begin(2);
        nowNs += 25 * MS;
        file.publish();
        begin(3);
        nowNs = START_NS + SessionsFile.INTERVAL_NS - 1;
        file.publish();
        file.publishAll();
        // then it has not been written, as each time there would be another file
        assertEquals(first, Files.readAttributes(path, "unix:ino").get("ino"));
        assertEquals(List.of(1), written());
        // when nothing more begins
        nowNs++;
        file.publish();
        // then
        assertEquals(List.of(1, 2, 3), written());
    }

    @Test
    void shouldRefuseWhatIsNoListOfSessions() throws IOException {
        final Path damaged = folder.resolve("damaged");
        Files.writeString(damaged, "hxb-sessions-1\n0123 0 1 5\n");
        final Path other = folder.resolve("other");
        Files.writeString(other, "hxb-sessions-2\n");
        final Path link = folder.resolve("link");
        Files.createSymbolicLink(link, path);
        for (final Path each : List.of(damaged, other, link)) {
            assertThrows(IOException.class, () -> SessionsFile.read(each), each.toString());
        }
    }
}
