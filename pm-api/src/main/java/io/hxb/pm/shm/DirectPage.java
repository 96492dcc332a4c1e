package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * What the two ends of a {@link DirectRing} report to each other, in a page that the sender lends
 * and both write. Neither trusts what it reads here with more than the messages of this ring.
 *
 * <pre>
 * offset length writer    meaning (little-endian)
 *      0      8 sender    magic
 *      8      4 sender    version
 *     12      4 sender    1: takes part in memory fences of other processes
 *     16     16 sender    id of the ring: the payload of the message by which the ring begins
 *    128      4 receiver  state: 0 offered, 1 taken, 2 given up
 *    132      4 receiver  1: takes part in memory fences of other processes
 *    256      8 receiver  position up to which the records are no longer needed
 *    384      4 both      the receiver sleeps until a record comes: {@link #AT_SOCKET} or {@link
 *                         #ON_WORD}; 0 awake
 *    512      4 both      the sender sleeps until there is room, in the same way
 *    640      8 receiver  released hint: an earlier value of the position at 256, at most an
 *                         eighth of the ring less
 * </pre>
 */
public final class DirectPage {
    /** Bytes of the page. */
    public static final int LENGTH_BYTES = 4096;

    /** Bytes of the message by which a sender announces that its next messages are in the ring. */
    public static final int BEGIN_BYTES = 16;

    /** Tag of that message: the node never passes it on to a later incarnation of the receiver. */
    public static final int BEGIN_TAG = 0x4748_5842;

    /** The receiver has mapped the ring. */
    public static final int TAKEN = 1;

    /** The receiver does not read the ring any more. */
    public static final int GIVEN_UP = 2;

    /** A thread sleeps at its SignalSocket. */
    public static final int AT_SOCKET = 1;

    /** A thread sleeps on a word for it, see Futex. */
    public static final int ON_WORD = 2;

    private static final long MAGIC = 0x3144_4349_5244_5848L;
    private static final int VERSION = 2;
    private static final int VERSION_OFFSET = 8;
    private static final int SENDER_FENCES = 12;
    private static final int ID = 16;
    private static final int STATE = 128;
    private static final int RECEIVER_FENCES = 132;
    private static final int RELEASED = 256;
    private static final int RECEIVER_SLEEPS = 384;
    private static final int SENDER_SLEEPS = 512;
    private static final int RELEASED_HINT = 640;

    private final long address;

    /** Applies the layout to memory that stays mapped, 4,096-byte aligned. */
    public DirectPage(final long address) {
        this.address = address;
    }

    /**
     * Fills a zeroed page; the sender, before the page is offered.
     *
     * @param hasFences true if the sender takes part in memory fences of other processes.
     */
    public void initialize(final long id0, final long id1, final boolean hasFences) {
        Memory.putInt(address + VERSION_OFFSET, VERSION);
        Memory.putInt(address + SENDER_FENCES, hasFences ? 1 : 0);
        Memory.putLong(address + ID, id0);
        Memory.putLong(address + ID + Long.BYTES, id1);
        Memory.putLongRelease(address, MAGIC);
    }

    /** True if it is such a page, of this version. */
    public boolean isValid() {
        return Memory.getLongAcquire(address) == MAGIC
                && Memory.getInt(address + VERSION_OFFSET) == VERSION;
    }

    /** One half of the id, 0 or 1. */
    public long id(final int half) {
        return Memory.getLong(address + ID + (long) half * Long.BYTES);
    }

    /** 0, {@link #TAKEN} or {@link #GIVEN_UP}. */
    public int state() {
        return Memory.getIntAcquire(address + STATE);
    }

    /**
     * Takes the ring; the receiver.
     *
     * @param hasFences true if the receiver takes part in memory fences of other processes.
     */
    public void take(final boolean hasFences) {
        Memory.putInt(address + RECEIVER_FENCES, hasFences ? 1 : 0);
        state(TAKEN);
    }

    /** True if both ends take part in each other's memory fences; once the ring is taken. */
    public boolean hasFences() {
        return Memory.getInt(address + SENDER_FENCES) == 1
                && Memory.getInt(address + RECEIVER_FENCES) == 1;
    }

    /** Sets the state; the receiver. */
    public void state(final int state) {
        Memory.putIntRelease(address + STATE, state);
    }

    /** Position up to which the receiver has released the records. */
    public long released() {
        return Memory.getLongAcquire(address + RELEASED);
    }

    /** Publishes that position; the receiver. */
    public void released(final long position) {
        Memory.putLongRelease(address + RELEASED, position);
    }

    /**
     * A lower bound of {@link #released()}, at most an eighth of the ring less. A sender that sends
     * much reads this one, since its cache line seldom changes.
     */
    public long releasedHint() {
        return Memory.getLongAcquire(address + RELEASED_HINT);
    }

    /** Publishes that bound; the receiver, after {@link #released(long)}. */
    public void releasedHint(final long position) {
        Memory.putLongRelease(address + RELEASED_HINT, position);
    }

    /** Address of the word by which the receiver announces that it sleeps. */
    public long receiverSleeps() {
        return address + RECEIVER_SLEEPS;
    }

    /** Address of the word by which the sender announces that it sleeps. */
    public long senderSleeps() {
        return address + SENDER_SLEEPS;
    }
}
