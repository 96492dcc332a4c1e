package io.hxb.pm.shm;

import io.hxb.linux.Futex;
import io.hxb.linux.Memory;

/**
 * The control memory of one context: a header and six rings. Written by the node and by the
 * application, so neither trusts what it has not written itself; each side computes all offsets
 * from sizes it knows privately.
 *
 * <pre>
 * offset  length                      writer       meaning
 *      0       8                      node         magic
 *      8       4                      node         version
 *     12       4                      node         context id
 *    128       4                      node         state: 1 open, 2 closed
 *    132       4                      node         close reason, see {@link CloseReason}
 *    136       4                      node         changes of the context's direct rings so far
 *    256       4                      both         what the application sleeps for: bits of
 *                                                  {@link #MESSAGES}, {@link #SENDS}, {@link
 *                                                  #LINKS}, {@link #REMOTE}, and {@link
 *                                                  #ON_WORD}; 0 awake
 *    384       4                      node         not 0: wake the node when a buffer is released
 *    512      64 x submissionEntries  application  {@link SubmissionRing}
 *            16 x submissionEntries   node         {@link CompletionRing}
 *            256 + 64 x submissionEntries  both    {@link ShortRing}, at most 1 MiB of records
 *            32 x deliveryEntries     node         {@link DeliveryRing}
 *             8 x releaseEntries      application  {@link ReleaseRing}
 *            32 x EVENT_ENTRIES       node         {@link EventRing}
 * </pre>
 *
 * <p>Only the ring of short messages has shared head and tail words. Every entry carries the stamp
 * of its position, so the taker reads only one cache line, and there is no index that a faulty
 * application could corrupt. No ring can overflow: the first two hold one entry for every send
 * slot, what does not fit into the third goes through the first, and the node never has more
 * messages and events out than the delivery and event rings hold until the application has named
 * them in the release ring.
 */
public final class ControlMemory {
    /** The application sleeps until a message or an event comes. */
    public static final int MESSAGES = 1;

    /** The application sleeps until a send is done. */
    public static final int SENDS = 2;

    /** The application sleeps until a link of the node fails or recovers. */
    public static final int LINKS = 4;

    /**
     * The application sleeps until an operation on remote memory is done, or it is notified of one.
     */
    public static final int REMOTE = 1 << 6;

    /** The application sleeps on the word itself, see Futex, and not at its descriptor. */
    public static final int ON_WORD = 1 << 30;

    /** State of a context in use. */
    public static final int OPEN = 1;

    /** State of a context that the node has closed. */
    public static final int CLOSED = 2;

    /** By how much {@link #directChanges()} grows when the receiver of a ring is gone. */
    public static final int RECEIVER_GONE = 1 << 16;

    /** Entries of the event ring. */
    public static final int EVENT_ENTRIES = 64;

    private static final long MAGIC = 0x3158_5443_4d50_5848L;
    private static final int VERSION = 2;
    private static final int VERSION_OFFSET = 8;
    private static final int CONTEXT_ID = 12;
    private static final int STATE = 128;
    private static final int REASON = 132;
    private static final int DIRECT_CHANGES = 136;
    private static final int WAITING = 256;
    private static final int RELEASE_AWAITED = 384;
    private static final int RINGS = 512;

    private final long address;
    private final int submissionEntries;
    private final int deliveryEntries;
    private final int releaseEntries;

    /**
     * Applies the layout to memory that stays mapped.
     *
     * @param address first byte, 128-byte aligned.
     * @param sendSlots send buffers of the context, 1 to 65,536.
     * @param deliveryEntries messages that may be out, a power of two.
     */
    public ControlMemory(final long address, final int sendSlots, final int deliveryEntries) {
        this.address = address;
        submissionEntries = powerOfTwo(sendSlots);
        this.deliveryEntries = deliveryEntries;
        releaseEntries = powerOfTwo(deliveryEntries + EVENT_ENTRIES);
    }

    /** Bytes that a context with these sizes needs. */
    public static long lengthBytes(final int sendSlots, final int deliveryEntries) {
        final ControlMemory layout = new ControlMemory(0, sendSlots, deliveryEntries);
        return layout.events() + (long) EVENT_ENTRIES * EventRing.ENTRY_BYTES;
    }

    /** Fills the header of zeroed memory and opens the context; the node only. */
    public void initialize(final int contextId) {
        Memory.putLong(address, MAGIC);
        Memory.putInt(address + VERSION_OFFSET, VERSION);
        Memory.putInt(address + CONTEXT_ID, contextId);
        Memory.putIntRelease(address + STATE, OPEN);
    }

    /**
     * Checks magic and version; the application, once.
     *
     * @throws IllegalStateException if this is not a control memory, or of another version.
     */
    public void check() {
        if (Memory.getLong(address) != MAGIC
                || Memory.getInt(address + VERSION_OFFSET) != VERSION) {
            throw new IllegalStateException(
                    "control memory has version "
                            + Memory.getInt(address + VERSION_OFFSET)
                            + ", this program needs "
                            + VERSION);
        }
    }

    /** {@link #OPEN} or {@link #CLOSED}. */
    public int state() {
        return Memory.getIntAcquire(address + STATE);
    }

    /** Why the node has closed the context, see {@link CloseReason}. */
    public int closeReason() {
        return Memory.getInt(address + REASON);
    }

    /**
     * Grows with each change of its direct rings that the node has reported to the context so far:
     * by {@link #RECEIVER_GONE} if a receiver is gone, by one else.
     */
    public int directChanges() {
        return Memory.getIntAcquire(address + DIRECT_CHANGES);
    }

    /** Sets that number; the node only. */
    public void directChanges(final int count) {
        Memory.putIntRelease(address + DIRECT_CHANGES, count);
    }

    /** Notifies the application that the context is closed; the node only. */
    public void close(final int reason) {
        Memory.putInt(address + REASON, reason);
        Memory.putIntRelease(address + STATE, CLOSED);
    }

    /** Address of the word by which the application announces that it sleeps, and for what. */
    public long waitingWord() {
        return address + WAITING;
    }

    /** Notes what the application sleeps for; called only by the application. */
    public void waiting(final int interest) {
        Memory.putIntVolatile(address + WAITING, interest);
    }

    /**
     * Notes that the application no longer sleeps; called only by the application, after {@link
     * #waiting}.
     *
     * @return true if the node has taken on the task of waking it: its signal has arrived or will.
     */
    public boolean endWaiting() {
        return Memory.getAndSetInt(address + WAITING, 0) == 0;
    }

    /**
     * Wakes the application's thread if it sleeps on the word; called by another of its threads.
     */
    public void wakeSleeper() {
        Memory.getAndSetInt(address + WAITING, 0);
        Futex.wake(address + WAITING);
    }

    /**
     * Checks whether the application sleeps for {@code interest} and, if so, takes on the task of
     * waking it; called by the node, after a full fence that follows its writes.
     *
     * @return what the application has noted; 0 if it is not for the node to wake it.
     */
    public int takeWaiting(final int interest) {
        final int seen = Memory.getInt(address + WAITING);
        final boolean isTaken =
                (seen & interest) != 0 && Memory.compareAndSetInt(address + WAITING, seen, 0);
        return isTaken ? seen : 0;
    }

    /** Sets whether a release has to wake the sleeping node; called only by the node. */
    public void releaseAwaited(final boolean isAwaited) {
        Memory.putIntVolatile(address + RELEASE_AWAITED, isAwaited ? 1 : 0);
    }

    /** Whether a release has to wake the sleeping node; called after a full fence. */
    public boolean isReleaseAwaited() {
        return Memory.getInt(address + RELEASE_AWAITED) != 0;
    }

    /** One side's view of the submission ring, from its start. */
    public SubmissionRing submissionRing() {
        return new SubmissionRing(address + RINGS, submissionEntries);
    }

    /** One side's view of the completion ring, from its start. */
    public CompletionRing completionRing() {
        return new CompletionRing(completions() + address, submissionEntries);
    }

    /** One side's view of the ring of short messages, from its start. */
    public ShortRing shortRing() {
        return new ShortRing(shorts() + address, ShortRing.capacityBytes(submissionEntries));
    }

    /** One side's view of the delivery ring. */
    public DeliveryRing deliveryRing() {
        return new DeliveryRing(deliveries() + address, deliveryEntries);
    }

    /** One side's view of the release ring, from its start. */
    public ReleaseRing releaseRing() {
        return new ReleaseRing(releases() + address, releaseEntries);
    }

    /** One side's view of the event ring, from its start. */
    public EventRing eventRing() {
        return new EventRing(events() + address, EVENT_ENTRIES);
    }

    private long completions() {
        return RINGS + (long) submissionEntries * SubmissionRing.ENTRY_BYTES;
    }

    private long shorts() {
        return align(completions() + (long) submissionEntries * CompletionRing.ENTRY_BYTES);
    }

    private long deliveries() {
        return align(shorts() + ShortRing.DATA + (long) ShortRing.capacityBytes(submissionEntries));
    }

    private long releases() {
        return align(deliveries() + (long) deliveryEntries * DeliveryRing.ENTRY_BYTES);
    }

    private long events() {
        return align(releases() + (long) releaseEntries * ReleaseRing.ENTRY_BYTES);
    }

    // Rings of different writers share neither a cache line nor the adjacent one that is
    // prefetched.
    private static long align(final long offset) {
        return (offset + 127) & -128L;
    }

    private static int powerOfTwo(final int count) {
        return Math.max(16, Integer.highestOneBit(count - 1) << 1);
    }
}
