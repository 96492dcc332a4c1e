package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmStatus;
import io.hxb.pm.rpc.RpcEndpoint;
import io.hxb.pm.rpc.RpcException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Requests and replies between programs of one node, which restarts. */
@Tag("unit")
class RpcTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int LIMIT_S = 20;
    private static final int SERVER = 1;

    @TempDir private Path directory;
    private TestNode node;
    private ServedSocket socket;
    private AttachServer attach;

    @BeforeEach
    void start() throws Exception {
        node = new TestNode();
        socket = new ServedSocket(directory);
        attach = socket.serve(node.start());
    }

    @AfterEach
    void stop() throws Exception {
        attach.close();
        socket.close();
        node.close();
    }

    private RpcEndpoint client(final int context) throws Exception {
        return RpcEndpoint.open(socket.path(), context, (from, fromContext, request) -> null);
    }

    private static byte[] get(final CompletableFuture<byte[]> reply) throws Exception {
        return reply.get(LIMIT_S, TimeUnit.SECONDS);
    }

    private static RpcException failure(final CompletableFuture<byte[]> reply) {
        final Exception e = assertThrows(ExecutionException.class, () -> get(reply));
        return assertInstanceOf(RpcException.class, e.getCause());
    }

    @Test
    void shouldAnswerRequestsAndReportWhatFails() throws Exception {
        try (RpcEndpoint server =
                        RpcEndpoint.open(
                                socket.path(),
                                SERVER,
                                (from, context, request) -> {
                                    if (request.length == 0) {
                                        throw new IllegalStateException("nothing asked");
                                    }
                                    return new byte[] {(byte) context, request[0]};
                                });
                RpcEndpoint client = client(2)) {
            // when
            final List<CompletableFuture<byte[]>> replies = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                replies.add(client.call(0, SERVER, new byte[] {(byte) i}, LIMIT_S * SECOND_NS));
            }
            // then
            for (int i = 0; i < 500; i++) {
                assertArrayEquals(new byte[] {2, (byte) i}, get(replies.get(i)));
            }
            final RpcException thrown = failure(client.call(0, SERVER, new byte[0], SECOND_NS));
            assertEquals("nothing asked (OK)", thrown.getMessage());
            assertTrue(thrown.mayBeDone());
            assertEquals(0, server.nodeId());
            final RpcException nobody = failure(client.call(0, 9, new byte[1], 5 * SECOND_NS));
            assertFalse(nobody.status() == PmStatus.OK);
        }
    }

    private RpcEndpoint slow(final CountDownLatch isOver) throws Exception {
        return RpcEndpoint.open(
                socket.path(),
                SERVER,
                (from, context, request) -> {
                    isOver.await();
                    return request;
                });
    }

    @Test
    void shouldEndAtTheDeadlineAndNotHoldUpOthersForASlowPeer() throws Exception {
        final CountDownLatch isOver = new CountDownLatch(1);
        try (RpcEndpoint slow = slow(isOver);
                RpcEndpoint _ =
                        RpcEndpoint.open(socket.path(), 2, (from, context, request) -> request);
                RpcEndpoint client = client(3)) {
            // given more requests than a peer may have waiting
            final CompletableFuture<byte[]> first =
                    client.call(0, SERVER, new byte[8], 2 * SECOND_NS);
            final List<CompletableFuture<byte[]>> stuck = new ArrayList<>();
            for (int i = 0; i < RpcEndpoint.MAX_OUTSTANDING + 1_000; i++) {
                stuck.add(client.call(0, SERVER, new byte[8], 10 * LIMIT_S * SECOND_NS));
            }
            // when
            for (int i = 0; i < 50; i++) {
                get(client.call(0, 2, new byte[8], LIMIT_S * SECOND_NS));
            }
            // then
            final RpcException refused = failure(stuck.getLast());
            assertEquals(PmStatus.NO_BUFFERS, refused.status());
            assertFalse(refused.mayBeDone());
            final RpcException late = failure(first);
            assertEquals(PmStatus.TIMED_OUT, late.status());
            assertTrue(late.mayBeDone());
            isOver.countDown();
            get(client.callWhenRoom(0, SERVER, new byte[8], LIMIT_S * SECOND_NS));
            assertTrue(slow.maxLengthBytes() > 1_000);
        }
    }

    @Test
    void shouldRefuseOrWaitWhereAPeerHasEnough() throws Exception {
        final CountDownLatch isOver = new CountDownLatch(1);
        try (RpcEndpoint slow = slow(isOver);
                RpcEndpoint client = client(3)) {
            // given
            final List<CompletableFuture<byte[]>> held = new ArrayList<>();
            for (int i = 0; i < RpcEndpoint.MAX_OUTSTANDING; i++) {
                held.add(client.call(0, SERVER, new byte[8], LIMIT_S * SECOND_NS));
            }
            // when
            final CompletableFuture<byte[]> refused =
                    client.call(0, SERVER, new byte[8], LIMIT_S * SECOND_NS);
            final CompletableFuture<byte[]> late =
                    client.callWhenRoom(0, SERVER, new byte[8], SECOND_NS / 100);
            // then at once
            assertTrue(refused.isCompletedExceptionally());
            assertEquals(PmStatus.NO_BUFFERS, failure(refused).status());
            assertTrue(late.isCompletedExceptionally());
            assertEquals(RpcEndpoint.MAX_OUTSTANDING, client.outstanding(0, SERVER));
            // and one that waits goes on as soon as another has ended
            final CompletableFuture<byte[]> waited = new CompletableFuture<>();
            final Thread waiter =
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    final long limitNs = LIMIT_S * SECOND_NS;
                                    waited.complete(
                                            get(
                                                    client.callWhenRoom(
                                                            0, SERVER, new byte[1], limitNs)));
                                } catch (final Exception e) {
                                    waited.completeExceptionally(e);
                                }
                            });
            held.getLast().cancel(false);
            isOver.countDown();
            assertArrayEquals(new byte[1], get(waited));
            waiter.join();
            for (final CompletableFuture<byte[]> call : held.subList(0, held.size() - 1)) {
                get(call);
            }
            TestNode.await("room", () -> client.outstanding(0, SERVER) == 0);
            assertEquals(0, slow.outstanding(0, 3));
        }
    }

    @Test
    void shouldEndWhatIsAskedAfterTheEnd() throws Exception {
        // given
        final RpcEndpoint client = client(3);
        final CompletableFuture<byte[]> early = client.call(0, 9, new byte[1], 9 * SECOND_NS);
        client.close();
        // when
        final CompletableFuture<byte[]> late = client.call(0, 9, new byte[1], 9 * SECOND_NS);
        // then
        assertEquals(PmStatus.CONTEXT_CLOSED, failure(early).status());
        assertEquals(PmStatus.CONTEXT_CLOSED, failure(late).status());
    }

    /** Another process in the peer's place cannot know what the first one has begun. */
    @Test
    void shouldReportWhatAnotherEndInThePeersPlaceCannotKnow() throws Exception {
        final CountDownLatch hasBegun = new CountDownLatch(1);
        final RpcEndpoint first =
                RpcEndpoint.open(
                        socket.path(),
                        SERVER,
                        (from, context, request) -> {
                            hasBegun.countDown();
                            Thread.currentThread().join();
                            return request;
                        });
        try (RpcEndpoint client = client(2)) {
            final CompletableFuture<byte[]> asked =
                    client.call(0, SERVER, new byte[1], LIMIT_S * SECOND_NS);
            assertTrue(hasBegun.await(LIMIT_S, TimeUnit.SECONDS));
            // when
            first.close();
            try (RpcEndpoint second =
                    RpcEndpoint.open(socket.path(), SERVER, (from, context, request) -> request)) {
                // then
                final RpcException lost = failure(asked);
                assertEquals(PmStatus.PEER_RESTARTED, lost.status());
                assertTrue(lost.mayBeDone());
                get(client.call(0, SERVER, new byte[1], LIMIT_S * SECOND_NS));
                assertEquals(0, second.nodeId());
            }
        }
    }

    @Test
    void shouldCarryOutNothingTwiceAndLoseNothingSilentlyWhileTheNodeRestarts() throws Exception {
        final Set<Integer> done = ConcurrentHashMap.newKeySet();
        final AtomicInteger twice = new AtomicInteger();
        final AtomicInteger changes = new AtomicInteger();
        try (RpcEndpoint server =
                        RpcEndpoint.open(
                                socket.path(),
                                SERVER,
                                (from, context, request) -> {
                                    final int number = (request[0] << 8) | (request[1] & 0xFF);
                                    twice.addAndGet(done.add(number) ? 0 : 1);
                                    return request;
                                });
                RpcEndpoint client = client(2)) {
            client.watch(0, SERVER, (from, context, isPresent) -> changes.incrementAndGet());
            int number = 0;
            for (int round = 0; round < 3; round++) {
                final List<CompletableFuture<byte[]>> calls = new ArrayList<>();
                for (int i = 0; i < 200; i++, number++) {
                    final byte[] request = {(byte) (number >> 8), (byte) number};
                    calls.add(client.call(0, SERVER, request, 5 * SECOND_NS));
                }
                // when
                stop();
                start();
                // then each request ends, and those with a reply were carried out
                for (int i = 0; i < 200; i++) {
                    final int asked = number - 200 + i;
                    final boolean hasReply = hasReply(calls.get(i));
                    assertTrue(!hasReply || done.contains(asked), "request " + asked);
                }
                // and what is asked now does not end with what has become of the old node
                for (int i = 0; i < 10; i++, number++) {
                    final byte[] request = {(byte) (number >> 8), (byte) number};
                    get(client.call(0, SERVER, request, LIMIT_S * SECOND_NS));
                }
            }
            assertEquals(0, twice.get());
            assertTrue(changes.get() > 1, "changes " + changes);
            assertEquals(0, server.nodeId());
        }
    }

    private static boolean hasReply(final CompletableFuture<byte[]> call) throws Exception {
        try {
            get(call);
            return true;
        } catch (final ExecutionException e) {
            assertInstanceOf(RpcException.class, e.getCause());
            return false;
        }
    }
}
