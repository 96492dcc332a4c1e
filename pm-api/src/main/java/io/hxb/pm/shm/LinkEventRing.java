package io.hxb.pm.shm;

import io.hxb.linux.Memory;

import java.nio.charset.StandardCharsets;

/**
 * The last 16 changes of the node's links, in its {@link NodePage}. The node writes, by one thread
 * at a time; every application reads at its own pace. One object serves one reader or the writer.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 number of changes so far
 *  64+96i       change n has i = (n - 1) modulo 16
 *      0      8 n; 0 while it is written
 *      8      8 time in ms since 1970
 *     16      4 node id of the neighbour
 *     20      1 dimension
 *     21      1 number of the link in its trunk
 *     22      1 1 if frames pass now, else 0
 *     23      1 1 if no other link reaches the neighbour
 *     24      4 length of the reason's text
 *     32     64 reason's text, ASCII
 * </pre>
 */
public final class LinkEventRing {
    private static final int ENTRIES = 16;
    private static final int ENTRY_BYTES = 96;
    private static final int MAX_TEXT_BYTES = 64;
    private static final int FIRST = 64;
    private static final int TIME = 8;
    private static final int NODE = 16;
    private static final int DIMENSION = 20;
    private static final int NUMBER = 21;
    private static final int GOOD = 22;
    private static final int LAST = 23;
    private static final int TEXT_LENGTH = 24;
    private static final int TEXT = 32;

    static final int LENGTH_BYTES = FIRST + ENTRIES * ENTRY_BYTES;

    private final long address;
    private long taken;
    private long timeMs;
    private int node;
    private int dimension;
    private int number;
    private boolean isGood;
    private boolean isLast;
    private String reason = "";

    LinkEventRing(final long address) {
        this.address = address;
    }

    /**
     * Publishes a change; the node only.
     *
     * @param timeMs when, in ms since 1970.
     * @param node node id of the neighbour.
     * @param dimension 0 to 7.
     * @param number of the link in its trunk.
     * @param isGood whether frames pass now.
     * @param isLast whether no other link reaches the neighbour.
     * @param reason why; 64 bytes are kept.
     */
    public void put(
            final long timeMs,
            final int node,
            final int dimension,
            final int number,
            final boolean isGood,
            final boolean isLast,
            final String reason) {
        final long count = Memory.getLong(address) + 1;
        final long entry = entry(count);
        Memory.putLongVolatile(entry, 0);
        Memory.putLong(entry + TIME, timeMs);
        Memory.putInt(entry + NODE, node);
        Memory.putByte(entry + DIMENSION, dimension);
        Memory.putByte(entry + NUMBER, number);
        Memory.putByte(entry + GOOD, isGood ? 1 : 0);
        Memory.putByte(entry + LAST, isLast ? 1 : 0);
        final byte[] text = reason.getBytes(StandardCharsets.US_ASCII);
        final int length = Math.min(text.length, MAX_TEXT_BYTES);
        Memory.putInt(entry + TEXT_LENGTH, length);
        for (int i = 0; i < length; i++) {
            Memory.putByte(entry + TEXT + i, text[i]);
        }
        Memory.putLongVolatile(entry, count);
        Memory.putLongVolatile(address, count);
    }

    /** Changes since the node started. */
    public long count() {
        return Memory.getLongAcquire(address);
    }

    /** Ignores what has happened so far. */
    public void skip() {
        taken = count();
    }

    /** True if {@link #take} has something to take. */
    public boolean isReady() {
        return count() != taken;
    }

    /**
     * Copies the next change into this object. If there were more than 16 since the last call, the
     * oldest are skipped.
     *
     * @return false if there is none.
     */
    public boolean take() {
        while (true) {
            final long count = count();
            if (count == taken) {
                return false;
            }
            taken = Math.max(taken, count - ENTRIES);
            final long wanted = ++taken;
            final long entry = entry(wanted);
            if (Memory.getLongAcquire(entry) == wanted) {
                copy(entry);
                java.lang.invoke.VarHandle.acquireFence();
                if (Memory.getLongVolatile(entry) == wanted) {
                    return true;
                }
            }
        }
    }

    private void copy(final long entry) {
        timeMs = Memory.getLong(entry + TIME);
        node = Memory.getInt(entry + NODE);
        dimension = Memory.getUnsignedByte(entry + DIMENSION);
        number = Memory.getUnsignedByte(entry + NUMBER);
        isGood = Memory.getUnsignedByte(entry + GOOD) != 0;
        isLast = Memory.getUnsignedByte(entry + LAST) != 0;
        final byte[] text =
                new byte[Math.clamp(Memory.getInt(entry + TEXT_LENGTH), 0, MAX_TEXT_BYTES)];
        for (int i = 0; i < text.length; i++) {
            text[i] = Memory.getByte(entry + TEXT + i);
        }
        reason = new String(text, StandardCharsets.US_ASCII);
    }

    private long entry(final long count) {
        return address + FIRST + (count - 1) % ENTRIES * ENTRY_BYTES;
    }

    /** When, in ms since 1970. */
    public long timeMs() {
        return timeMs;
    }

    /** Node id of the neighbour. */
    public int node() {
        return node;
    }

    /** Dimension of the link, 0 to 7. */
    public int dimension() {
        return dimension;
    }

    /** Number of the link in its trunk, from 0. */
    public int number() {
        return number;
    }

    /** True if frames pass now. */
    public boolean isGood() {
        return isGood;
    }

    /** True if no other link reaches the neighbour. */
    public boolean isLast() {
        return isLast;
    }

    /** Describes why. */
    public String reason() {
        return reason;
    }
}
