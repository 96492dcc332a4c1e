package io.hxb.pm.shm;

import io.hxb.linux.Memory;

import java.nio.charset.StandardCharsets;

/**
 * What all applications of a node read and only the node writes: who it is, its sizes, whether it
 * is alive and which of its loops sleep. The node owns it; applications map it read-only.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 magic
 *      8      4 version
 *     12      4 number of loops
 *     16      4 node id
 *     20      4 node count
 *     24      4 longest message in bytes
 *     28      4 number of contexts (ids 0 to this - 1)
 *     32      4 receive pool: buffers
 *     36      4 receive pool: bytes of a buffer
 *     40      4 incarnation of the node
 *     44      4 length of the shape's text
 *     48     64 shape's text, ASCII
 *    128      4 state: 1 alive, 2 closed
 *    192      8 beat: changes a few times a second while the node works; 0: it does not beat
 *    256 +128 i 4 loop i: 0 awake, else the number of its present sleep
 *   2304   1600 changes of links, {@link LinkEventRing}
 * </pre>
 */
public final class NodePage {
    /** Bytes of the page. */
    public static final int LENGTH_BYTES = 4096;

    /** Maximum number of loops of a node. */
    public static final int MAX_LOOPS = 16;

    /** State of a node at work. */
    public static final int ALIVE = 1;

    /** State of a node that has closed down. */
    public static final int CLOSED = 2;

    /** Maximum time between two beats of a node that gets CPU, in ns. */
    public static final long BEAT_INTERVAL_NS = 200_000_000;

    private static final int LINK_EVENTS_OFFSET = 2304;
    private static final long MAGIC = 0x3145_444f_4e42_5848L;
    private static final int VERSION = 1;
    private static final int MAX_SHAPE_BYTES = 64;

    private final long address;

    /** Applies the layout to memory that stays mapped; 128-byte aligned. */
    public NodePage(final long address) {
        this.address = address;
    }

    /**
     * Fills the page and sets the state to {@link #ALIVE}.
     *
     * @param facts what applications learn.
     */
    public void initialize(final Facts facts) {
        final byte[] shape = facts.shape().getBytes(StandardCharsets.US_ASCII);
        if (shape.length > MAX_SHAPE_BYTES) {
            throw new IllegalArgumentException("shape text is too long: " + facts.shape());
        }
        Memory.putInt(address + 8, VERSION);
        Memory.putInt(address + 12, facts.loops());
        Memory.putInt(address + 16, facts.nodeId());
        Memory.putInt(address + 20, facts.nodeCount());
        Memory.putInt(address + 24, facts.mtuBytes());
        Memory.putInt(address + 28, facts.contexts());
        Memory.putInt(address + 32, facts.receiveBuffers());
        Memory.putInt(address + 36, facts.receiveBufferBytes());
        Memory.putInt(address + 40, facts.incarnation());
        Memory.putInt(address + 44, shape.length);
        for (int i = 0; i < shape.length; i++) {
            Memory.putByte(address + 48 + i, shape[i]);
        }
        Memory.putLong(address, MAGIC);
        Memory.putIntRelease(address + 128, ALIVE);
    }

    /**
     * Reads the page.
     *
     * @throws IllegalStateException if it is not a page, or of another version.
     */
    public Facts facts() {
        if (Memory.getLong(address) != MAGIC || Memory.getInt(address + 8) != VERSION) {
            throw new IllegalStateException(
                    "the node's page has version "
                            + Memory.getInt(address + 8)
                            + ", this program needs "
                            + VERSION);
        }
        final int shapeLength = Math.clamp(Memory.getInt(address + 44), 0, MAX_SHAPE_BYTES);
        final byte[] shape = new byte[shapeLength];
        for (int i = 0; i < shapeLength; i++) {
            shape[i] = Memory.getByte(address + 48 + i);
        }
        return new Facts(
                Memory.getInt(address + 16),
                Memory.getInt(address + 20),
                new String(shape, StandardCharsets.US_ASCII),
                Memory.getInt(address + 24),
                Memory.getInt(address + 28),
                Memory.getInt(address + 32),
                Memory.getInt(address + 36),
                Memory.getInt(address + 40),
                Memory.getInt(address + 12));
    }

    /** {@link #ALIVE} or {@link #CLOSED}; stays {@link #ALIVE} when the node is killed. */
    public int state() {
        return Memory.getIntAcquire(address + 128);
    }

    /** Sets the state; the node only. */
    public void state(final int state) {
        Memory.putIntRelease(address + 128, state);
    }

    /** Changes while the node works, see {@link #BEAT_INTERVAL_NS}; 0 when it does not beat. */
    public long beat() {
        return Memory.getLongAcquire(address + 192);
    }

    /** Sets the beat to a new value; called only by the node. */
    public void beat(final long number) {
        Memory.putLongRelease(address + 192, number);
    }

    /** The changes of the node's links; each caller gets a position of its own. */
    public LinkEventRing linkEvents() {
        return new LinkEventRing(address + LINK_EVENTS_OFFSET);
    }

    /** 0 while loop {@code loop} is awake, else the number of its present sleep. */
    public int sleep(final int loop) {
        return Memory.getIntVolatile(address + 256 + 128L * loop);
    }

    /**
     * Notes that loop {@code loop} is awake (0) or falls asleep for the nth time; called only by
     * the node.
     */
    public void sleep(final int loop, final int number) {
        Memory.putIntVolatile(address + 256 + 128L * loop, number);
    }

    /**
     * What a node tells its applications about itself. Immutable.
     *
     * @param nodeId its id, 0 to {@code nodeCount} - 1.
     * @param nodeCount nodes of the cluster.
     * @param shape such as {@code 3x3x3}.
     * @param mtuBytes longest message.
     * @param contexts context ids are 0 to this - 1.
     * @param receiveBuffers buffers of the receive pool.
     * @param receiveBufferBytes bytes of each.
     * @param incarnation of the node, not 0.
     * @param loops loops of the node, 1 to {@link #MAX_LOOPS}.
     */
    public record Facts(
            int nodeId,
            int nodeCount,
            String shape,
            int mtuBytes,
            int contexts,
            int receiveBuffers,
            int receiveBufferBytes,
            int incarnation,
            int loops) {}
}
