package io.hxb.session;

import io.hxb.config.SecurityConfig;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.HelloFlyweight;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One node of a shape of two by two, whose frames are byte arrays. Used by one thread. */
final class SessionNode {
    static final Shape SHAPE = Shape.of(2, 2);
    static final int CLUSTER = 77;

    final int node;
    final Sessions sessions;
    final FrameSeals seals;
    private final int incarnation;
    private final MemorySegment memory = Arena.ofAuto().allocate(8192, 64);
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameCrc crc = new FrameCrc();

    SessionNode(final int node, final KeyRing ring, final long seed) {
        this(node, ring, seed, SecurityConfig.Mode.AUTHENTICATE);
    }

    SessionNode(
            final int node, final KeyRing ring, final long seed, final SecurityConfig.Mode mode) {
        this.node = node;
        final Random random = new Random(seed);
        incarnation = random.nextInt();
        sessions =
                new Sessions(
                        new Sessions.Identity(SHAPE, SHAPE.coordinates(node), CLUSTER, incarnation),
                        mode,
                        ring,
                        random);
        seals = sessions.newLoop();
    }

    static ClusterKey key(final int seed) {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        new Random(seed).nextBytes(secret);
        return new ClusterKey(secret);
    }

    /** All SESSION frames that are due. */
    List<byte[]> due(final long nowNs) {
        final List<byte[]> frames = new ArrayList<>();
        for (int to = sessions.pollDue(nowNs); to >= 0; to = sessions.pollDue(nowNs)) {
            final int length = sessions.write(to, memory.address(), nowNs);
            frames.add(memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        }
        return frames;
    }

    /**
     * Takes in whatever a link has received, as the path of all frames does.
     *
     * @return the result of {@link FrameSeals#open}, or the reason why it was not asked.
     */
    int receiveFromLink(final byte[] frame, final long nowNs) {
        MemorySegment.copy(MemorySegment.ofArray(frame), 0, memory, 0, frame.length);
        final int reason = FrameValidator.checkHeader(memory.address(), frame.length, CLUSTER);
        if (reason != DropReason.NONE) {
            return reason;
        }
        final long destination = header.wrap(memory.address()).destination();
        if (destination != SHAPE.coordinates(node)
                && destination != FrameHeaderFlyweight.ANY_DESTINATION) {
            return DropReason.UNKNOWN_NEIGHBOUR;
        }
        final int opened = seals.open(memory.address());
        if (opened == DropReason.NONE
                && header.type() == FrameType.SESSION
                && FrameValidator.checkEndToEnd(memory.address(), SHAPE, crc) == DropReason.NONE) {
            sessions.onFrame(memory.address(), Sessions.ROUTED, nowNs);
        }
        return opened;
    }

    /** Takes in any frame: the result of {@link FrameSeals#open}. */
    int receive(final byte[] frame, final long nowNs) {
        MemorySegment.copy(MemorySegment.ofArray(frame), 0, memory, 0, frame.length);
        final int reason = seals.open(memory.address());
        if (reason == DropReason.NONE
                && header.wrap(memory.address()).type() == FrameType.SESSION) {
            sessions.onFrame(memory.address(), Sessions.ROUTED, nowNs);
        }
        return reason;
    }

    /** A sealed frame of some type with fields that are not 0; null if there is no session. */
    byte[] frame(final int type, final int to) {
        final long receiver = SHAPE.coordinates(to);
        final boolean isLocal = type == FrameType.HELLO || type == FrameType.LINK_STATUS;
        header.wrap(memory.address())
                .clear()
                .type(type)
                .hopLimit(5)
                .order(DimensionOrder.DEFAULT)
                .clusterId(CLUSTER)
                .sourceIncarnation(incarnation)
                .source(SHAPE.coordinates(node))
                .destination(isLocal ? FrameHeaderFlyweight.ANY_DESTINATION : receiver)
                .destinationIncarnation(0x0102_0304)
                .sourceContext(5)
                .destinationContext(6)
                .sequence(7)
                .acknowledgement(8)
                .windowFrames(9)
                .epoch(10)
                .messageCount(1)
                .acknowledgedEpoch(11)
                .bodyLength(100);
        for (int i = 0; i < 100; i++) {
            Memory.putByte(header.bodyAddress() + i, i + 1);
        }
        if (type == FrameType.HELLO) {
            new HelloFlyweight().wrap(header.bodyAddress()).receiver(receiver);
        }
        final int length = FrameHeaderFlyweight.LENGTH + 100;
        if (type == FrameType.MISCONFIGURATION) {
            seals.sealByKey(header.address(), length);
        } else if (type == FrameType.DATA && seals.isEncrypting()) {
            return encrypted(length);
        } else if (seals.sealTo(to, header.address(), length, 0, 0) != FrameSeals.SEALED) {
            return null;
        }
        return memory.asSlice(0, FrameHeaderFlyweight.frameLength(header.address()))
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private byte[] encrypted(final int length) {
        final long to = memory.address() + memory.byteSize() / 2;
        if (seals.encrypt(header.address(), length, 0, 0, to) != FrameSeals.SEALED) {
            return null;
        }
        return memory.asSlice(memory.byteSize() / 2, FrameHeaderFlyweight.frameLength(to))
                .toArray(ValueLayout.JAVA_BYTE);
    }

    /** Sends a frame straight to another node: its result, or NO_SESSION of the sealer. */
    int send(final SessionNode other, final long nowNs) {
        final byte[] frame = frame(FrameType.ACK, other.node);
        return frame == null ? DropReason.NO_SESSION : other.receive(frame, nowNs);
    }
}
