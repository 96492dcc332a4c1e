package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb.Build;
import io.hxb.pm.rpc.RpcEndpoint;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Requests and replies between C and Java, at a node that restarts. */
@Tag("system")
class LibHxbRpcTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int LIMIT_S = 20;

    @TempDir private Path directory;

    private final LibHxb programs = new LibHxb();
    private ServedSocket socket;
    private String path;
    private TestNode node;
    private AttachServer attach;

    @BeforeEach
    void start() throws Exception {
        LibHxb.build(Build.CHECKED, "scenario");
        socket = new ServedSocket(directory);
        path = socket.path().toString();
        startNode();
    }

    private void startNode() throws Exception {
        node = new TestNode().start();
        attach = socket.serve(node);
    }

    private void stopNode() throws Exception {
        attach.close();
        node.close();
    }

    @AfterEach
    void stop() throws Exception {
        programs.close();
        stopNode();
        socket.close();
    }

    private void ask(final RpcEndpoint client, final int count) throws Exception {
        for (int i = 0; i < count; i++) {
            final byte[] request = {(byte) i, (byte) (i >> 8), 3};
            assertArrayEquals(
                    request,
                    client.call(0, 11, request, LIMIT_S * SECOND_NS)
                            .get(LIMIT_S, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldAnswerInCWhatJavaAsksWhileTheNodeRestarts() throws Exception {
        // given
        programs.startReady(Build.CHECKED, "rpc-serve", path, "11");
        try (RpcEndpoint client =
                RpcEndpoint.open(socket.path(), 2, (from, context, request) -> request)) {
            ask(client, 300);
            for (int round = 0; round < 2; round++) {
                // when
                stopNode();
                startNode();
                // then
                ask(client, 10);
            }
        }
    }

    @Test
    void shouldAnswerInJavaWhatCAsksWhileTheNodeRestarts() throws Exception {
        // given
        final AtomicInteger answered = new AtomicInteger();
        try (RpcEndpoint server =
                RpcEndpoint.open(
                        socket.path(),
                        11,
                        (from, context, request) -> {
                            answered.incrementAndGet();
                            return request;
                        })) {
            // when
            final Process asking =
                    programs.start(Build.CHECKED, "rpc-ask", path, "12", "11", "3000");
            TestNode.await("requests", () -> answered.get() > 100);
            stopNode();
            startNode();
            // then
            final List<String> lines = LibHxb.lines(asking);
            assertEquals(1, lines.size());
            final String[] words = lines.getFirst().split(" ", -1);
            final int replies = Integer.parseInt(words[0]);
            assertTrue(lines.getFirst().endsWith("attached 2 times"), lines.getFirst());
            // One is under way at a time: its reply is lost if the node had it for the program.
            assertTrue(replies >= 2_999 && answered.get() <= 3_000, lines.getFirst());
            assertEquals(0, server.nodeId());
        }
    }
}
