package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.UnixSocket;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@Tag("unit")
class NodeSocketsTest {
    @TempDir private Path root;
    private final List<UnixSocket> listening = new ArrayList<>();

    @AfterEach
    void closesAll() {
        listening.forEach(UnixSocket::close);
    }

    private Path node(final String path) throws Exception {
        final Path socket = root.resolve(path);
        Files.createDirectories(socket.getParent());
        listening.add(UnixSocket.listen(socket));
        return socket;
    }

    private void deadNode(final String path) throws Exception {
        node(path);
        listening.removeLast().close();
    }

    private Path find(final String... folders) throws PmException {
        return NodeSockets.find(Map.of(), List.of(folders).stream().map(root::resolve).toList());
    }

    private String problem(final String... folders) {
        return assertThrows(PmException.class, () -> find(folders)).getMessage();
    }

    @Test
    void shouldTakeTheSocketThatIsNamedEvenIfNobodyListensThere() throws Exception {
        node("run/x-0.sock");
        final Path named = root.resolve("elsewhere.sock");
        // when
        final Path found =
                NodeSockets.find(
                        Map.of("HXB_SOCKET", named.toString()), List.of(root.resolve("run")));
        // then
        assertEquals(named, found);
    }

    @Test
    void shouldFindTheOnlyLiveNode() throws Exception {
        // given
        deadNode("run/x-0.sock");
        final Path live = node("run/x-1.sock");
        Files.createFile(root.resolve("run/x-1.sock.lock"));
        Files.createFile(root.resolve("run/x-2.sock"));
        // when, then
        assertEquals(live, find("run"));
    }

    @Test
    void shouldTakeNoOtherSocketInTheFolderForANode() throws Exception {
        // given
        final Path live = node("run/x-1.sock");
        node("run/x.observe.sock");
        node("run/manager.sock");
        // when, then
        assertEquals(live, find("run"));
    }

    @Test
    void shouldLookIntoTheNextFolderOnlyIfTheFirstHasNoNode() throws Exception {
        // given
        deadNode("one/x-0.sock");
        final Path second = node("two/x-1.sock");
        node("three/x-2.sock");
        // when, then
        assertEquals(second, find("none", "one", "two", "three"));
    }

    @Test
    void shouldFindTheNodeOfALabWhereNoOtherIs() throws Exception {
        // given
        final Path ofLab = node("run/labs/lab/lab-0.sock");
        assertEquals(ofLab, find("run"));
        // when
        final Path own = node("run/x-0.sock");
        // then
        assertEquals(own, find("run"));
    }

    @Test
    void shouldListTheNodesWhenThereAreSeveral() throws Exception {
        // given
        final Path one = node("run/labs/lab/lab-0.sock");
        final Path two = node("run/labs/lab/lab-1.sock");
        deadNode("run/labs/lab/lab-2.sock");
        // when
        final String problem = problem("run");
        // then
        assertTrue(problem.contains("set HXB_SOCKET"), problem);
        assertTrue(problem.contains(one + ", " + two), problem);
        assertFalse(problem.contains("lab-2"), problem);
    }

    @Test
    void shouldReportWhereItLookedWhenThereIsNone() {
        // when
        final String problem = problem("one", "two");
        // then
        assertTrue(problem.contains(root.resolve("one") + ", " + root.resolve("two")), problem);
        assertTrue(problem.contains("hxb node"), problem);
    }
}
