package io.hxb.session;

import io.hxb.crypto.Cmac;
import io.hxb.crypto.Gcm;
import io.hxb.crypto.MacInput;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.linux.Memory;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Seals the frames that a loop sends and opens those that it receives. Owned by that loop, or
 * guarded by its owner's lock; allocates nothing per frame, only when it first uses a session.
 *
 * <p>Almost all frames are sealed by the session of the two nodes. Frames sent before there is one,
 * or to everybody, are sealed by a key of the cluster: SESSION, MISCONFIGURATION, and HELLO to
 * everybody. That only proves that somebody with the key has sent it at some time.
 */
public final class FrameSeals {
    /** The frame has its seal. */
    public static final int SEALED = 0;

    /** There is no session with the destination yet; one is being set up. */
    public static final int NO_SESSION = -1;

    /** The frame seems valid, but is for another node: nothing was opened. */
    public static final int ELSEWHERE = 1;

    private final Sessions sessions;
    private final Shape shape;
    private final int loop;
    private final boolean isOn;
    private final LoopPeer[] peers;
    private final boolean isEncrypting;
    private final MacInput input = new MacInput();
    private final MemorySegment scratch = Arena.ofAuto().allocate(SealedPart.HEADER_BYTES, 8);
    private final long associated = scratch.address();
    private Sessions.Keys keys;
    private Cmac[] macs = {};

    FrameSeals(final Sessions sessions, final int loop) {
        this.sessions = sessions;
        this.loop = loop;
        shape = sessions.self().shape();
        isOn = sessions.isOn();
        isEncrypting = sessions.isEncrypting();
        peers = new LoopPeer[isOn ? shape.nodeCount() : 0];
    }

    /** True if there is a key: every frame has to be sealed. */
    public boolean isOn() {
        return isOn;
    }

    /** True if payload is encrypted. */
    public boolean isEncrypting() {
        return isEncrypting;
    }

    /** Grows when a session of the node begins: frames that wait for one can be tried again. */
    public int sessionsBegun() {
        return sessions.begun();
    }

    /**
     * Seals a frame by the session with its destination: writes the trailer after the header piece,
     * where 24 bytes belong to the frame.
     *
     * @param headerAddress header whose fields are final, except for hop limit and route.
     * @param headerLengthBytes header and the part of the body that follows it, 64 or more.
     * @param payloadAddress the rest of the body.
     * @param payloadLengthBytes 0 or more.
     * @return {@link #SEALED} or {@link #NO_SESSION}.
     */
    public int seal(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        final int node =
                shape.node(Memory.getLong(headerAddress + FrameHeaderFlyweight.DESTINATION_OFFSET));
        return sealTo(node, headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes);
    }

    /**
     * The same for link-local frames, which have no destination.
     *
     * @param node id of the node that will open it.
     */
    public int sealTo(
            final int node,
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        final LoopSession session = sendingTo(node);
        if (session == null) {
            sessions.want(node, Sessions.ROUTED);
            return NO_SESSION;
        }
        setSealed(headerAddress);
        final long count = session.session.nextCount(loop);
        final long counter = SealFlyweight.counter(session.session.mark(), loop, count);
        final long trailer = headerAddress + headerLengthBytes;
        SealFlyweight.putCounter(trailer, counter);
        SealedPart.putHeader(input.begin(session.send), headerAddress, counter);
        putBody(headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes);
        input.finish().writeTag(SealFlyweight.tagAddress(trailer));
        renew(node, count);
        return SEALED;
    }

    /**
     * Seals a data frame by the session with its destination, its body encrypted, in one piece.
     *
     * @param headerAddress as for {@link #seal}, like the other arguments.
     * @param toAddress where the sealed frame is written, with room for all pieces and the trailer.
     * @return as {@link #seal}.
     */
    public int encrypt(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final long toAddress) {
        final int node =
                shape.node(Memory.getLong(headerAddress + FrameHeaderFlyweight.DESTINATION_OFFSET));
        final LoopSession session = sendingTo(node);
        if (session == null) {
            sessions.want(node, Sessions.ROUTED);
            return NO_SESSION;
        }
        Memory.copy(headerAddress, toAddress, FrameHeaderFlyweight.LENGTH);
        setSealed(toAddress);
        final long count = session.session.nextCount(loop);
        final long counter = SealFlyweight.counter(session.session.mark(), loop, count);
        final long trailer = toAddress + headerLengthBytes + payloadLengthBytes;
        final int behind = headerLengthBytes - FrameHeaderFlyweight.LENGTH;
        SealFlyweight.putCounter(trailer, counter);
        SealedPart.write(toAddress, counter, associated);
        session.encrypting.begin(counter, associated, SealedPart.HEADER_BYTES);
        session.encrypting.update(
                headerAddress + FrameHeaderFlyweight.LENGTH,
                toAddress + FrameHeaderFlyweight.LENGTH,
                behind);
        session.encrypting.update(
                payloadAddress, toAddress + headerLengthBytes, payloadLengthBytes);
        session.encrypting.finish(SealFlyweight.tagAddress(trailer));
        renew(node, count);
        return SEALED;
    }

    private void renew(final int node, final long count) {
        if ((count & Sessions.RENEW_FRAMES - 1) == 0) {
            sessions.want(node, Sessions.ROUTED);
        }
    }

    private LoopSession sendingTo(final int node) {
        final LoopPeer known = peers[node];
        if (known != null) {
            return known.sending();
        }
        final SessionPeer peer = sessions.peer(node);
        if (peer == null || peer.sessions().sending() == null) {
            return null;
        }
        peers[node] = new LoopPeer(peer);
        return peers[node].sending();
    }

    private void putBody(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        final int behind = headerLengthBytes - FrameHeaderFlyweight.LENGTH;
        final int covered = coveredBytes(headerAddress, behind + payloadLengthBytes);
        final int first = Math.min(behind, covered);
        input.putBytes(headerAddress + FrameHeaderFlyweight.LENGTH, first)
                .putBytes(payloadAddress, covered - first);
    }

    private static int coveredBytes(final long headerAddress, final int bodyBytes) {
        return type(headerAddress) == FrameType.DATA
                ? Math.min(SealedPart.DATA_BYTES, bodyBytes)
                : bodyBytes;
    }

    private static int type(final long headerAddress) {
        return Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
    }

    private static void setSealed(final long headerAddress) {
        final long flags = headerAddress + FrameHeaderFlyweight.FLAGS_OFFSET;
        Memory.putByte(flags, Memory.getUnsignedByte(flags) | FrameHeaderFlyweight.FLAG_SEALED);
    }

    /**
     * Seals a frame in one piece by the first key of the cluster.
     *
     * @param lengthBytes of header and body; the trailer follows.
     */
    public void sealByKey(final long headerAddress, final int lengthBytes) {
        refreshKeys();
        setSealed(headerAddress);
        sealByKey(input, macs[0], keys.ring().id(0), headerAddress, lengthBytes);
    }

    static void sealByKey(
            final MacInput input,
            final Cmac mac,
            final int keyId,
            final long headerAddress,
            final int lengthBytes) {
        final long counter = SealFlyweight.counterOfKey(keyId);
        final long trailer = headerAddress + lengthBytes;
        SealFlyweight.putCounter(trailer, counter);
        putByKey(input.begin(mac), headerAddress, lengthBytes, counter)
                .writeTag(SealFlyweight.tagAddress(trailer));
    }

    private static MacInput putByKey(
            final MacInput input,
            final long headerAddress,
            final int lengthBytes,
            final long counter) {
        SealedPart.putHeader(input, headerAddress, counter);
        return SealedPart.putSource(input, headerAddress)
                .putBytes(
                        headerAddress + FrameHeaderFlyweight.LENGTH,
                        lengthBytes - FrameHeaderFlyweight.LENGTH)
                .finish();
    }

    private void refreshKeys() {
        final Sessions.Keys now = sessions.keys();
        if (keys != now) {
            keys = now;
            macs = now.macs();
        }
    }

    /**
     * Opens a frame for this node or for all that hear it: checks its seal, and that it was not
     * received before; an encrypted body is decrypted in place. Reads nothing beyond what the
     * header check found there.
     *
     * @param headerAddress a frame in one piece whose header has been checked.
     * @return 0; {@link #ELSEWHERE}; or UNSEALED, SEAL, REPLAY, NO_SESSION or COORDINATES of {@link
     *     DropReason}.
     */
    public int open(final long headerAddress) {
        if (!FrameHeaderFlyweight.isSealed(headerAddress)) {
            return DropReason.UNSEALED;
        }
        final int type = type(headerAddress);
        if (type == FrameType.SESSION || type == FrameType.MISCONFIGURATION) {
            return openByKey(headerAddress);
        }
        if (type == FrameType.HELLO) {
            final int bodyLength = FrameHeaderFlyweight.bodyLength(headerAddress);
            if (bodyLength < HelloFlyweight.FIXED_LENGTH) {
                return DropReason.BODY;
            }
            final long receiver =
                    HelloFlyweight.receiverAt(headerAddress + FrameHeaderFlyweight.LENGTH);
            if (receiver == FrameHeaderFlyweight.ANY_DESTINATION) {
                return openByKey(headerAddress);
            }
            if (receiver != sessions.self().coordinates()) {
                return ELSEWHERE;
            }
        }
        return openBySession(headerAddress);
    }

    private int openByKey(final long headerAddress) {
        refreshKeys();
        final int lengthBytes =
                FrameHeaderFlyweight.LENGTH + FrameHeaderFlyweight.bodyLength(headerAddress);
        final long trailer = headerAddress + lengthBytes;
        final long counter = SealFlyweight.counterAt(trailer);
        final int index = keys.ring().indexOf(SealFlyweight.keyId(counter));
        if (index < 0) {
            return DropReason.SEAL;
        }
        putByKey(input.begin(macs[index]), headerAddress, lengthBytes, counter);
        return input.isTag(SealFlyweight.tagAddress(trailer)) ? DropReason.NONE : DropReason.SEAL;
    }

    private int openBySession(final long headerAddress) {
        final int node =
                shape.node(Memory.getLong(headerAddress + FrameHeaderFlyweight.SOURCE_OFFSET));
        if (node < 0) {
            return DropReason.COORDINATES;
        }
        LoopPeer from = peers[node];
        if (from == null) {
            final SessionPeer peer = sessions.peer(node);
            if (peer == null || peer.sessions().newest() == null) {
                return onNotOpened(node, DropReason.NO_SESSION);
            }
            from = new LoopPeer(peer);
            peers[node] = from;
        }
        final Session newest = from.inUse.newest();
        if (newest == null) {
            return onNotOpened(node, DropReason.NO_SESSION);
        }
        int reason = openBy(headerAddress, from, newest);
        if (reason == DropReason.SEAL) {
            final Session previous = from.inUse.previous();
            reason = previous == null ? reason : openBy(headerAddress, from, previous);
        }
        return reason == DropReason.SEAL ? onNotOpened(node, reason) : reason;
    }

    // Forged, or sealed by a session that only the peer has.
    private int onNotOpened(final int node, final int reason) {
        sessions.doubt(node, Sessions.ROUTED);
        return reason;
    }

    private int openBy(final long headerAddress, final LoopPeer from, final Session session) {
        final int bodyLength = FrameHeaderFlyweight.bodyLength(headerAddress);
        final long trailer = headerAddress + FrameHeaderFlyweight.LENGTH + bodyLength;
        final long counter = SealFlyweight.counterAt(trailer);
        if (SealFlyweight.mark(counter) != session.mark()) {
            return DropReason.SEAL;
        }
        final LoopSession keys = from.of(session);
        final boolean isValid =
                (isEncrypting && type(headerAddress) == FrameType.DATA)
                        ? decrypt(keys, headerAddress, bodyLength, counter)
                        : isTag(keys, headerAddress, bodyLength, counter);
        if (!isValid) {
            return DropReason.SEAL;
        }
        if (!session.take(SealFlyweight.loop(counter), SealFlyweight.count(counter))) {
            return DropReason.REPLAY;
        }
        sessions.onUsed(from.peer, session);
        return DropReason.NONE;
    }

    private boolean isTag(
            final LoopSession keys,
            final long headerAddress,
            final int bodyLength,
            final long counter) {
        final long body = headerAddress + FrameHeaderFlyweight.LENGTH;
        return SealedPart.putHeader(input.begin(keys.receive), headerAddress, counter)
                .putBytes(body, coveredBytes(headerAddress, bodyLength))
                .finish()
                .isTag(SealFlyweight.tagAddress(body + bodyLength));
    }

    // In place: a frame that turns out invalid is destroyed, but it is dropped anyway.
    private boolean decrypt(
            final LoopSession keys,
            final long headerAddress,
            final int bodyLength,
            final long counter) {
        final long body = headerAddress + FrameHeaderFlyweight.LENGTH;
        SealedPart.write(headerAddress, counter, associated);
        keys.decrypting.begin(counter, associated, SealedPart.HEADER_BYTES);
        keys.decrypting.update(body, body, bodyLength);
        return keys.decrypting.verify(SealFlyweight.tagAddress(body + bodyLength));
    }

    /** One peer as this loop sees it: the ciphers of its last two sessions. */
    private final class LoopPeer {
        private final SessionPeer peer;
        private final PeerSessions inUse;
        private LoopSession last;
        private LoopSession before;

        LoopPeer(final SessionPeer peer) {
            this.peer = peer;
            inUse = peer.sessions();
        }

        LoopSession sending() {
            final Session session = inUse.sending();
            return session == null ? null : of(session);
        }

        LoopSession of(final Session session) {
            if (last != null && last.session == session) {
                return last;
            }
            if (before != null && before.session == session) {
                return before;
            }
            before = last;
            last = new LoopSession(session, isEncrypting);
            return last;
        }
    }

    /** The ciphers of one session; each has a state and so one thread. */
    private static final class LoopSession {
        private final Session session;
        private final Cmac send;
        private final Cmac receive;
        private final Gcm encrypting;
        private final Gcm decrypting;

        LoopSession(final Session session, final boolean isEncrypting) {
            this.session = session;
            encrypting = isEncrypting ? Gcm.encrypting(session.sendCipherKey()) : null;
            decrypting = isEncrypting ? Gcm.decrypting(session.receiveCipherKey()) : null;
            send = new Cmac(session.sendMacKey());
            receive = new Cmac(session.receiveMacKey());
        }
    }
}
