package io.hxb.pm.stream;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;
import io.hxb.pm.stream.wire.Bytes;
import io.hxb.pm.stream.wire.PortProtocol;
import io.hxb.pm.stream.wire.StreamRecord;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Sends records and shares the context's send buffers among peers: one peer may have at most twice
 * as many in flight as are free, or less where the context has many destinations, so that peers
 * that take nothing leave some to the others. Records other than data have a reserve, and wait in a
 * queue of their peer that its data does not overtake. Guarded by the engine's lock.
 */
final class Outbox {
    private static final int MAX_RESERVE = 16;

    private final PmContext context;
    private final StreamEventLoop streamEventLoop;
    private final StreamClock clock;
    private final int capacity;
    private final StreamPeer[] slotPeer;
    private final Set<StreamPeer> awaited = new LinkedHashSet<>();
    private final List<Failure> failures = new ArrayList<>();
    private int inFlight;
    private boolean isRoomNew;

    /** The outbox of a context; it becomes the only listener for finished sends. */
    Outbox(
            final PmContext context,
            final StreamEventLoop streamEventLoop,
            final StreamClock clock) {
        this.context = context;
        this.streamEventLoop = streamEventLoop;
        this.clock = clock;
        final int slots = context.sendBufferCount();
        capacity = slots - Math.min(MAX_RESERVE, slots / 4);
        slotPeer = new StreamPeer[slots];
        context.sendDoneListener(
                new PmContext.SendDoneListener() {
                    @Override
                    public void onSendDone(final int slot, final int status) {
                        done(slot, status);
                    }

                    @Override
                    public void onRoom() {
                        isRoomNew = true;
                    }
                });
    }

    /** Longest piece of a stream in one record, in bytes. */
    int maxDataBytes() {
        return context.maxLengthBytes() - StreamRecord.HEADER_BYTES;
    }

    /** True if data to a peer would be taken now. */
    boolean hasRoom(final StreamPeer peer) {
        return peer.pending.isEmpty()
                && peer.inFlight() < 2 * (capacity - inFlight)
                && peer.hasBuffer(context);
    }

    private boolean hasControlRoom(final StreamPeer peer) {
        return peer.inFlight() < 2 * (slotPeer.length - inFlight);
    }

    /** True if finished sends are waited for. */
    boolean isWaiting() {
        return !awaited.isEmpty();
    }

    /** Messages that are not acknowledged yet. */
    int unfinished() {
        context.unfinishedSends();
        return inFlight + awaited.stream().mapToInt(peer -> peer.pending.size()).sum();
    }

    /**
     * Sends one record with bytes of a stream.
     *
     * @param sources from {@code first} on have as many bytes or more.
     * @param lengthBytes 1 to {@link #maxDataBytes()}, taken from the sources.
     * @return false if there is no room now; the stream is notified when there is.
     */
    boolean data(
            final StreamState stream,
            final StreamPeer peer,
            final ByteBuffer[] sources,
            final int first,
            final int lengthBytes) {
        if (!hasRoom(peer)) {
            context.unfinishedSends();
            if (!hasRoom(peer)) {
                await(stream, peer);
                return false;
            }
        }
        final int bytes = StreamRecord.HEADER_BYTES + lengthBytes;
        final int slot = context.claim(peer.node, peer.context, bytes);
        if (slot < 0) {
            onRefused(slot);
            await(stream, peer);
            return false;
        }
        final long address = context.sendAddress(slot);
        stream.header(address);
        gather(sources, first, address + StreamRecord.HEADER_BYTES, lengthBytes);
        return submit(slot, bytes, StreamRecord.tag(StreamRecord.DATA), peer);
    }

    private static void gather(
            final ByteBuffer[] sources, final int first, final long address, final int length) {
        int done = 0;
        for (int i = first; done < length; i++) {
            final int count = Math.min(length - done, sources[i].remaining());
            if (count > 0) {
                Bytes.put(sources[i], address + done, count);
                done += count;
            }
        }
    }

    private void await(final StreamState stream, final StreamPeer peer) {
        if (stream.beginWaitForRoom()) {
            peer.await(stream);
            awaited.add(peer);
            streamEventLoop.sendsMatter();
        }
    }

    private boolean submit(
            final int slot, final int lengthBytes, final int tag, final StreamPeer peer) {
        assert slotPeer[slot] == null : "the slot is in use: " + slot;
        slotPeer[slot] = peer;
        inFlight++;
        peer.onSend(clock.nowNs());
        final int status = context.send(slot, lengthBytes, tag);
        if (status != PmStatus.OK) {
            slotPeer[slot] = null;
            inFlight--;
            peer.onSendDone();
            onRefused(status);
            return false;
        }
        return true;
    }

    private void onRefused(final int status) {
        if (status != PmStatus.NO_BUFFERS) {
            failures.add(new Failure(null, status));
        }
    }

    /** Sends a record without data, now or when there is room. */
    void control(final Control record) {
        final StreamPeer peer = record.peer;
        if (!peer.pending.isEmpty() || !trySend(record)) {
            peer.pending.add(record);
            awaited.add(peer);
            streamEventLoop.sendsMatter();
        }
    }

    private boolean trySend(final Control record) {
        if (!hasControlRoom(record.peer)) {
            context.unfinishedSends();
            if (!hasControlRoom(record.peer)) {
                return false;
            }
        }
        final int slot = context.claim(record.peer.node, record.peer.context, record.lengthBytes());
        if (slot < 0) {
            onRefused(slot);
            return slot != PmStatus.NO_BUFFERS;
        }
        record.write(context.sendAddress(slot));
        submit(slot, record.lengthBytes(), record.tag, record.peer);
        return true;
    }

    private void done(final int slot, final int status) {
        final StreamPeer peer = slotPeer[slot];
        assert peer != null && inFlight > 0 : "a send is done that was not begun: slot " + slot;
        inFlight--;
        peer.onSendDone();
        isRoomNew = true;
        if (status != PmStatus.OK) {
            failures.add(new Failure(peer, status));
        }
        slotPeer[slot] = null;
    }

    /** Takes back finished sends, if somebody waits for them. */
    void collectDone() {
        if (isWaiting()) {
            context.unfinishedSends();
        }
    }

    /** The sends that have failed since the last call, oldest first. */
    List<Failure> takeFailures() {
        if (failures.isEmpty()) {
            return List.of();
        }
        final List<Failure> failed = List.copyOf(failures);
        failures.clear();
        return failed;
    }

    /** Sends records that wait and wakes streams that wait, if sends have finished. */
    void serveWaiting() {
        if (isRoomNew) {
            isRoomNew = false;
            if (!awaited.isEmpty()) {
                wakeWaiting();
            }
        }
    }

    private void wakeWaiting() {
        for (final StreamPeer peer : List.copyOf(awaited)) {
            while (!peer.pending.isEmpty() && trySend(peer.pending.peek())) {
                peer.pending.poll();
            }
            if (hasRoom(peer)) {
                awaited.remove(peer);
                wakeAll(peer);
            }
        }
    }

    private void wakeAll(final StreamPeer peer) {
        StreamState stream = peer.pollWaiting();
        while (stream != null) {
            stream.endWaitForRoom();
            stream = peer.pollWaiting();
        }
    }

    /** A peer's session has ended: nobody waits for it any more. */
    void forget(final StreamPeer peer) {
        peer.pending.clear();
        awaited.remove(peer);
        wakeAll(peer);
    }

    /**
     * A send that failed.
     *
     * @param peer to whom, or null if the node took it from nobody.
     * @param status why: a PmStatus.
     */
    record Failure(StreamPeer peer, int status) {}

    /**
     * A record without data.
     *
     * @param first first 8 bytes of the body, if it has a body.
     * @param second second 8 bytes, if it has as many.
     */
    record Control(
            StreamPeer peer,
            int tag,
            int destination,
            int source,
            long position,
            int bodyBytes,
            long first,
            long second) {

        static Control of(
                final StreamPeer peer,
                final int type,
                final int destination,
                final int source,
                final long position) {
            return new Control(
                    peer, StreamRecord.tag(type), destination, source, position, 0, 0, 0);
        }

        static Control handshake(
                final StreamPeer peer,
                final int type,
                final int destination,
                final int source,
                final long position,
                final long creditBytes) {
            return new Control(
                    peer,
                    StreamRecord.tag(type),
                    destination,
                    source,
                    position,
                    StreamRecord.HANDSHAKE_BYTES,
                    creditBytes,
                    peer.localSession);
        }

        static Control ping(final StreamPeer peer, final long session) {
            return new Control(
                    peer,
                    StreamRecord.tag(StreamRecord.PING),
                    0,
                    0,
                    session,
                    StreamRecord.PING_BYTES,
                    peer.remoteSession(),
                    0);
        }

        static Control portRequest(
                final StreamPeer peer, final int tag, final int number, final int port) {
            return new Control(peer, tag, number, port, 0, 0, 0, 0);
        }

        private boolean isPortRequest() {
            return peer.context == PortProtocol.CONTEXT;
        }

        private int lengthBytes() {
            return isPortRequest()
                    ? PortProtocol.REQUEST_BYTES
                    : StreamRecord.HEADER_BYTES + bodyBytes;
        }

        private void write(final long address) {
            if (isPortRequest()) {
                PortProtocol.request(address, destination, source);
                return;
            }
            StreamRecord.header(address, destination, source, position);
            if (bodyBytes == StreamRecord.PING_BYTES) {
                StreamRecord.expectedSession(address, first);
            } else if (bodyBytes == StreamRecord.HANDSHAKE_BYTES) {
                StreamRecord.handshake(address, first, second);
            }
        }
    }
}
