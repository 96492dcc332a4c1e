package io.hxb.pm.rpc;

import io.hxb.pm.PmDevice;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * An endpoint of requests and replies: sends requests to others, and carries out theirs. It has a
 * thread and a context of its own, and attaches again by itself when the node of this machine
 * restarts. Any thread may call its methods, none of which blocks but {@link #open} and {@link
 * #close}.
 *
 * <p>A request is carried out at most once: one that may have been lost on the way is sent again by
 * itself, and the peer knows which it has begun. Every one ends, at its deadline at the latest:
 * with the reply, or with an {@link RpcException} that states whether it may have been carried out.
 *
 * <p>At most {@link #MAX_UNDER_WAY} requests to one peer are under way, and {@link #MAX_WAITING}
 * more wait here. {@link #call} fails beyond that, {@link #callWhenRoom} waits. A peer that is slow
 * or gone holds up nobody else.
 */
public final class RpcEndpoint implements AutoCloseable {
    /** Requests to one peer that have been sent and have no reply. */
    public static final int MAX_UNDER_WAY = 64;

    /** Requests to one peer, and messages to many for it, that wait to be sent. */
    public static final int MAX_WAITING = 1_024;

    /** Requests to one peer that have not ended, from {@link #call} on. */
    public static final int MAX_OUTSTANDING = MAX_UNDER_WAY + MAX_WAITING;

    private static final long MAX_TIMEOUT_NS = TimeUnit.DAYS.toNanos(1);

    private final RpcWindow room = new RpcWindow();
    private final RpcLoop loop;
    private final int nodeId;
    private final int nodeCount;
    private final int contextCount;
    private final int maxLengthBytes;

    private RpcEndpoint(
            final PmDevice device, final Path socket, final int contextId, final RpcHandler handler)
            throws IOException {
        nodeId = device.nodeId();
        nodeCount = device.nodeCount();
        contextCount = device.contextCount();
        loop = new RpcLoop(device, socket, contextId, handler, room);
        maxLengthBytes = loop.maxLengthBytes();
    }

    /**
     * Attaches as {@link PmDevice#attach()} does, and opens a context. Blocks for some seconds at
     * most.
     *
     * @param contextId that others send requests to.
     * @param handler carries out requests of others.
     * @return the endpoint, which the caller closes.
     * @throws IOException if there is no node, or the context is in use.
     */
    public static RpcEndpoint open(final int contextId, final RpcHandler handler)
            throws IOException {
        return open(PmDevice.attach(), null, contextId, handler);
    }

    /**
     * The same at the node that listens on a socket.
     *
     * @param socket path of the node's socket.
     * @param contextId that others send requests to.
     * @param handler carries out requests of others.
     * @return the endpoint, which the caller closes.
     * @throws IOException if there is no node, or the context is in use.
     */
    public static RpcEndpoint open(final Path socket, final int contextId, final RpcHandler handler)
            throws IOException {
        return open(PmDevice.attach(socket), socket, contextId, handler);
    }

    private static RpcEndpoint open(
            final PmDevice device, final Path socket, final int contextId, final RpcHandler handler)
            throws IOException {
        try {
            final RpcEndpoint endpoint = new RpcEndpoint(device, socket, contextId, handler);
            endpoint.loop.start();
            return endpoint;
        } catch (final IOException | RuntimeException e) {
            device.close();
            throw e;
        }
    }

    /** {@return the id of the node of this machine} */
    public int nodeId() {
        return nodeId;
    }

    /** {@return the number of nodes, whose ids are 0 to this - 1} */
    public int nodeCount() {
        return nodeCount;
    }

    /** {@return the longest request or reply in bytes} */
    public int maxLengthBytes() {
        return maxLengthBytes;
    }

    /**
     * Sends a request. It fails at once, with {@link io.hxb.pm.PmStatus#NO_BUFFERS}, if the peer
     * has {@link #MAX_OUTSTANDING}.
     *
     * @param node of the peer.
     * @param context of the peer.
     * @param request 0 to {@link #maxLengthBytes()} bytes, not to be changed afterwards.
     * @param timeoutNs until it ends at the latest, 1 to a day.
     * @return ends with the reply, or with an {@link RpcException}. What depends on it runs on
     *     threads of its own. Cancelling it gives the request up.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public CompletableFuture<byte[]> call(
            final int node, final int context, final byte[] request, final long timeoutNs) {
        check(node, context, request);
        checkTimeout(timeoutNs);
        return room.takeCall(RpcLoop.key(node, context))
                ? begin(node, context, request, System.nanoTime() + timeoutNs)
                : refused(node);
    }

    /**
     * Sends a request, and waits for room if the peer has {@link #MAX_OUTSTANDING}, at most until
     * the deadline: then, and when the endpoint is closed, it fails as {@link #call} does. For
     * threads of the program; what runs on threads of this endpoint ({@link RpcPeerListener}) must
     * not wait.
     *
     * @param node of the peer.
     * @param context of the peer.
     * @param request 0 to {@link #maxLengthBytes()} bytes, not to be changed afterwards.
     * @param timeoutNs until it ends at the latest, the wait included, 1 to a day.
     * @return as {@link #call} has it.
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is sent.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public CompletableFuture<byte[]> callWhenRoom(
            final int node, final int context, final byte[] request, final long timeoutNs)
            throws InterruptedException {
        check(node, context, request);
        checkTimeout(timeoutNs);
        final long deadlineNs = System.nanoTime() + timeoutNs;
        return room.takeCall(RpcLoop.key(node, context), timeoutNs)
                ? begin(node, context, request, deadlineNs)
                : refused(node);
    }

    private CompletableFuture<byte[]> begin(
            final int node, final int context, final byte[] request, final long deadlineNs) {
        final CompletableFuture<byte[]> reply = new CompletableFuture<>();
        loop.execute(() -> loop.call(node, context, request, deadlineNs, reply));
        return reply;
    }

    private static CompletableFuture<byte[]> refused(final int node) {
        return CompletableFuture.failedFuture(
                new RpcException(
                        "too many requests to node " + node + " have not ended",
                        PmStatus.NO_BUFFERS,
                        false));
    }

    private static void checkTimeout(final long timeoutNs) {
        if (timeoutNs < 1 || timeoutNs > MAX_TIMEOUT_NS) {
            throw new IllegalArgumentException("timeoutNs must be 1 to a day: " + timeoutNs);
        }
    }

    /**
     * Returns how many requests to a peer have not ended.
     *
     * @param node of the peer.
     * @param context of the peer.
     * @return 0 to {@link #MAX_OUTSTANDING}.
     */
    public int outstanding(final int node, final int context) {
        return room.calls(RpcLoop.key(node, context));
    }

    /**
     * Sends a message to many, without replies: those that are gone, or so slow that {@link
     * #MAX_WAITING} wait for them, miss it.
     *
     * @param nodes of the peers.
     * @param context of all of them.
     * @param data 0 to {@link #maxLengthBytes()} bytes, not to be changed afterwards.
     * @return how many of the peers it waits to be sent to; the others miss it.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public int publish(final int[] nodes, final int context, final byte[] data) {
        final int[] peers = nodes.clone();
        for (final int node : peers) {
            check(node, context, data);
        }
        int count = 0;
        for (final int node : peers) {
            if (room.takePublished(RpcLoop.key(node, context))) {
                peers[count++] = node;
            }
        }
        final int[] chosen = Arrays.copyOf(peers, count);
        loop.execute(() -> loop.publish(chosen, context, data));
        return count;
    }

    /**
     * Watches a peer: pings it every second, and reports changes. It counts as gone until it is
     * heard, and three seconds after it was heard last.
     *
     * @param node of the peer.
     * @param context of the peer.
     * @param listener is notified of changes.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public void watch(final int node, final int context, final RpcPeerListener listener) {
        check(node, context, new byte[0]);
        loop.execute(() -> loop.watch(node, context, listener));
    }

    private void check(final int node, final int context, final byte[] data) {
        if (node < 0 || node >= nodeCount || context < 0 || context >= contextCount) {
            throw new IllegalArgumentException("no such peer: " + node + " " + context);
        }
        if (data.length > maxLengthBytes) {
            throw new IllegalArgumentException(
                    "a message has at most " + maxLengthBytes + " bytes: " + data.length);
        }
    }

    /** Closes the endpoint; requests that have no reply end with an {@link RpcException}. */
    @Override
    public void close() {
        room.close();
        loop.close();
    }
}
