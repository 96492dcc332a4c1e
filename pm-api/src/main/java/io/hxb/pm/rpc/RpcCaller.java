package io.hxb.pm.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.pm.PmStatus;

import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The requests of an endpoint, from the program's call to their end. Owned by the endpoint's
 * thread.
 *
 * <p>A request that was sent ends in one of three ways: an answer, the deadline, or doubt, when its
 * message or the report of its outcome may be lost. One in doubt is sent again, marked as such, and
 * the peer carries it out if it has not begun it before, ignores it while it runs, or answers that
 * there will be no reply; so does another process in the peer's place, which cannot know.
 */
final class RpcCaller {
    private final RpcWindow room;
    private final Executor loop;
    private final TreeSet<RpcCall> calls = new TreeSet<>();
    private long lastOrder;

    RpcCaller(final RpcWindow room, final Executor loop) {
        this.room = room;
        this.loop = loop;
    }

    void begin(
            final RpcPeer peer,
            final byte[] request,
            final long deadlineNs,
            final CompletableFuture<byte[]> reply) {
        final RpcCall call = new RpcCall(peer, request, deadlineNs, reply, ++lastOrder);
        calls.add(call);
        final CompletableFuture<?> _ =
                reply.whenComplete(
                        (done, failure) -> {
                            if (!call.hasEnded()) {
                                loop.execute(() -> end(call)); // the program has ended it itself
                            }
                        });
        peer.fresh.addLast(call);
    }

    /** Ends those whose deadline has passed. */
    void endLate(final long nowNs) {
        while (!calls.isEmpty() && calls.first().deadlineNs - nowNs <= 0) {
            final RpcCall call = calls.first();
            final int why = call.peer.isSure() ? PmStatus.OK : call.peer.lastStatus;
            fail(call, why == PmStatus.OK ? PmStatus.TIMED_OUT : why);
        }
    }

    void endAll(final int status) {
        while (!calls.isEmpty()) {
            fail(calls.first(), status);
        }
    }

    private boolean end(final RpcCall call) {
        if (!calls.remove(call)) {
            return false;
        }
        call.onEnded();
        call.peer.onCallEnded(call);
        room.onCallEnded(RpcPeers.key(call.peer.node, call.peer.context));
        return true;
    }

    private void fail(final RpcCall call, final int status) {
        fail(call, "no reply from node " + call.peer.node, status, call.isSent());
    }

    private void fail(
            final RpcCall call, final String why, final int status, final boolean mayBeDone) {
        if (end(call)) {
            final RpcException cause = new RpcException(why, status, mayBeDone);
            // Not on this thread: what a program chains to the reply might block it.
            Thread.startVirtualThread(() -> call.reply.completeExceptionally(cause));
        }
    }

    void onAnswer(final RpcPeer peer, final int kind, final long number, final byte[] data) {
        final RpcCall call = peer.call(number);
        if (call == null) {
            return; // it has ended before
        }
        switch (kind) {
            case RpcWire.REPLY -> {
                if (end(call)) {
                    Thread.startVirtualThread(() -> call.reply.complete(data));
                }
            }
            case RpcWire.BUSY -> fail(call, busy(peer), PmStatus.NO_BUFFERS, false);
            case RpcWire.LOST -> fail(call, PmStatus.PEER_RESTARTED);
            default -> fail(call, new String(data, UTF_8), PmStatus.OK, true);
        }
    }

    private static String busy(final RpcPeer peer) {
        return "node " + peer.node + " has too many requests";
    }

    /** A request's message has arrived at the peer's node, or may be lost. */
    void onSendDone(final RpcCall call, final int status) {
        call.onSendDone();
        if (status != PmStatus.OK) {
            doubt(call);
        }
    }

    /** Whatever has arrived at the peer and was not answered may be lost. */
    void doubtAll(final RpcPeer peer) {
        for (final RpcCall call : peer.callsUnderWay()) {
            if (!call.isInFlight()) {
                doubt(call);
            }
        }
    }

    private void doubt(final RpcCall call) {
        if (!call.hasEnded()) {
            call.peer.again.add(call);
        }
    }

    /** The peer does not talk to this endpoint, and will not. */
    void onNotAllowed(final RpcPeer peer) {
        for (final RpcCall call : List.copyOf(calls)) {
            if (call.peer == peer) {
                fail(call, PmStatus.NOT_ALLOWED);
            }
        }
    }
}
