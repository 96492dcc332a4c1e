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
    private static final int VERSION_OFFSET = 8;
    private static final int LOOPS = 12;
    private static final int NODE_ID = 16;
    private static final int NODE_COUNT = 20;
    private static final int MTU = 24;
    private static final int CONTEXTS = 28;
    private static final int RECEIVE_BUFFERS = 32;
    private static final int RECEIVE_BUFFER_BYTES = 36;
    private static final int INCARNATION = 40;
    private static final int SHAPE_LENGTH = 44;
    private static final int SHAPE = 48;
    private static final int STATE = 128;
    private static final int BEAT = 192;
    private static final int SLEEP = 256;
    private static final int SLEEP_STRIDE = 128;
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
        Memory.putInt(address + VERSION_OFFSET, VERSION);
        Memory.putInt(address + LOOPS, facts.loops());
        Memory.putInt(address + NODE_ID, facts.nodeId());
        Memory.putInt(address + NODE_COUNT, facts.nodeCount());
        Memory.putInt(address + MTU, facts.mtuBytes());
        Memory.putInt(address + CONTEXTS, facts.contexts());
        Memory.putInt(address + RECEIVE_BUFFERS, facts.receiveBuffers());
        Memory.putInt(address + RECEIVE_BUFFER_BYTES, facts.receiveBufferBytes());
        Memory.putInt(address + INCARNATION, facts.incarnation());
        Memory.putInt(address + SHAPE_LENGTH, shape.length);
        for (int i = 0; i < shape.length; i++) {
            Memory.putByte(address + SHAPE + i, shape[i]);
        }
        Memory.putLong(address, MAGIC);
        Memory.putIntRelease(address + STATE, ALIVE);
    }

    /**
     * Reads the page.
     *
     * @throws IllegalStateException if it is not a page, or of another version.
     */
    public Facts facts() {
        if (Memory.getLong(address) != MAGIC
                || Memory.getInt(address + VERSION_OFFSET) != VERSION) {
            throw new IllegalStateException(
                    "the node's page has version "
                            + Memory.getInt(address + VERSION_OFFSET)
                            + ", this program needs "
                            + VERSION);
        }
        final int shapeLength =
                Math.clamp(Memory.getInt(address + SHAPE_LENGTH), 0, MAX_SHAPE_BYTES);
        final byte[] shape = new byte[shapeLength];
        for (int i = 0; i < shapeLength; i++) {
            shape[i] = Memory.getByte(address + SHAPE + i);
        }
        return new Facts(
                Memory.getInt(address + NODE_ID),
                Memory.getInt(address + NODE_COUNT),
                new String(shape, StandardCharsets.US_ASCII),
                Memory.getInt(address + MTU),
                Memory.getInt(address + CONTEXTS),
                Memory.getInt(address + RECEIVE_BUFFERS),
                Memory.getInt(address + RECEIVE_BUFFER_BYTES),
                Memory.getInt(address + INCARNATION),
                Memory.getInt(address + LOOPS));
    }

    /** {@link #ALIVE} or {@link #CLOSED}; stays {@link #ALIVE} when the node is killed. */
    public int state() {
        return Memory.getIntAcquire(address + STATE);
    }

    /** Sets the state; the node only. */
    public void state(final int state) {
        Memory.putIntRelease(address + STATE, state);
    }

    /** Changes while the node works, see {@link #BEAT_INTERVAL_NS}; 0 when it does not beat. */
    public long beat() {
        return Memory.getLongAcquire(address + BEAT);
    }

    /** Sets the beat to a new value; called only by the node. */
    public void beat(final long number) {
        Memory.putLongRelease(address + BEAT, number);
    }

    /** The changes of the node's links; each caller gets a position of its own. */
    public LinkEventRing linkEvents() {
        return new LinkEventRing(address + LINK_EVENTS_OFFSET);
    }

    /** 0 while loop {@code loop} is awake, else the number of its present sleep. */
    public int sleep(final int loop) {
        return Memory.getIntVolatile(address + SLEEP + (long) SLEEP_STRIDE * loop);
    }

    /**
     * Notes that loop {@code loop} is awake (0) or falls asleep for the nth time; called only by
     * the node.
     */
    public void sleep(final int loop, final int number) {
        Memory.putIntVolatile(address + SLEEP + (long) SLEEP_STRIDE * loop, number);
    }

    /**
     * What a node publishes to its applications about itself. Immutable.
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
