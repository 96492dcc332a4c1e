package io.hxb.pm.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Carries out the requests of others, each at most once. Owned by the endpoint's thread; handlers
 * run on virtual threads.
 */
final class RpcServer {
    /** Requests of all peers together that are carried out, or whose answers have not arrived. */
    private static final int MAX_RUNNING = 8_192;

    /** How long an answer is kept for a caller whose node does not take it. */
    private static final long ANSWER_NS = 60_000_000_000L;

    private static final byte[] NOTHING = new byte[0];

    private final long endpointId;
    private final RpcPeers peers;
    private final RpcHandler handler;
    private final Executor loop;
    private final int maxLengthBytes;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private int running;

    RpcServer(
            final long endpointId,
            final RpcPeers peers,
            final RpcHandler handler,
            final Executor loop,
            final int maxLengthBytes) {
        this.endpointId = endpointId;
        this.peers = peers;
        this.handler = handler;
        this.loop = loop;
        this.maxLengthBytes = maxLengthBytes;
    }

    void onRequest(
            final RpcPeer peer,
            final boolean isAgain,
            final long from,
            final long to,
            final long number,
            final byte[] data) {
        // Another process than that which the peer has asked before, or one that has forgotten.
        final boolean isUnknowing =
                to != endpointId || (peers.hasForgotten() && !peer.isKnown(from));
        final RpcDuplicateFilter history = peer.history(from);
        if (history.running.contains(number)) {
            return; // its answer is still to come
        }
        if (history.has(number) || (isAgain && isUnknowing)) {
            answer(peer, RpcWire.LOST, from, number);
        } else if (history.isBusy() || running >= MAX_RUNNING) {
            answer(peer, RpcWire.BUSY, from, number);
        } else {
            history.add(number);
            running++;
            executor.execute(() -> carryOut(peer, history, number, data));
        }
    }

    private static void answer(
            final RpcPeer peer, final int kind, final long to, final long number) {
        if (peer.others.size() < RpcEndpoint.MAX_WAITING) {
            peer.others.addLast(RpcMessage.of(kind, to, number));
        }
    }

    private void carryOut(
            final RpcPeer peer,
            final RpcDuplicateFilter history,
            final long number,
            final byte[] data) {
        int outcome = RpcWire.REPLY;
        byte[] reply;
        try {
            reply = handler.onRequest(peer.node, peer.context, data);
            reply = Objects.requireNonNullElse(reply, NOTHING);
        } catch (final Exception e) {
            outcome = RpcWire.FAILURE;
            reply = String.valueOf(e.getMessage()).getBytes(UTF_8);
        }
        if (reply.length > maxLengthBytes) {
            outcome = RpcWire.FAILURE;
            reply = "the reply is too long".getBytes(UTF_8);
        }
        final long keptUntilNs = System.nanoTime() + ANSWER_NS;
        final RpcMessage answer =
                RpcMessage.answer(outcome, history.endpointId, number, reply, keptUntilNs);
        loop.execute(() -> peer.others.addLast(answer));
    }

    /** An answer has arrived, or is given up. */
    void onAnswered(final RpcPeer peer, final RpcMessage answer) {
        running--;
        if (peer.isKnown(answer.to())) {
            peer.history(answer.to()).running.remove(answer.number());
        }
    }

    void onPublished(final RpcPeer peer, final byte[] data) {
        if (running >= MAX_RUNNING) {
            return;
        }
        running++;
        executor.execute(
                () -> {
                    try {
                        handler.onRequest(peer.node, peer.context, data);
                    } catch (final Exception e) {
                        // Nobody waits for an answer.
                    } finally {
                        loop.execute(() -> running--);
                    }
                });
    }

    void close() {
        executor.shutdownNow();
    }
}
