package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * The memory that a context lends its node for operations on remote memory: three rings, and the
 * fragments in which data travels. Written by both sides, so neither trusts what it has not written
 * itself; each side computes all offsets from sizes it knows privately. Immutable but for what lies
 * in the memory.
 *
 * <pre>
 * offset  length                  writer       meaning
 *    128  8                       application  notifications taken so far
 *    256  4                       node         not 0: wake the node when a notification is taken
 *    512  128 x operations        application  {@link OperationRing}
 *         32 x operations         node         {@link OutcomeRing}
 *         64 x notifications      node         {@link NotificationRing}
 *         fragmentBytes x fragments  node      requests under way to others
 *         fragmentBytes x fragments  node      answers under way to others
 * </pre>
 *
 * <p>No ring can overflow: the first two hold one entry for every slot of an operation, and the
 * node never has more notifications out than the third holds.
 */
public final class RemoteMemoryArea {
    private static final int TAKEN = 128;
    private static final int TAKE_AWAITED = 256;
    private static final int RINGS = 512;

    private final long address;
    private final int operations;
    private final int notifications;
    private final int fragments;
    private final int fragmentBytes;

    /**
     * Applies the layout to memory that stays mapped.
     *
     * @param address first byte, 128-byte aligned.
     * @param operations that may be under way, a power of two.
     * @param notifications that may wait to be taken, a power of two.
     * @param fragments of each direction, 1 or more.
     * @param fragmentBytes bytes of each, a multiple of 64.
     */
    public RemoteMemoryArea(
            final long address,
            final int operations,
            final int notifications,
            final int fragments,
            final int fragmentBytes) {
        this.address = address;
        this.operations = operations;
        this.notifications = notifications;
        this.fragments = fragments;
        this.fragmentBytes = fragmentBytes;
    }

    /** Bytes of all of it. */
    public long lengthBytes() {
        return requests() + 2L * fragments * fragmentBytes;
    }

    /** Operations that may be under way. */
    public int operations() {
        return operations;
    }

    /** Fragments of each direction. */
    public int fragments() {
        return fragments;
    }

    /** Bytes of each fragment. */
    public int fragmentBytes() {
        return fragmentBytes;
    }

    /** One side's view of the operation ring, from its start. */
    public OperationRing operationRing() {
        return new OperationRing(address + RINGS, operations);
    }

    /** One side's view of the outcome ring, from its start. */
    public OutcomeRing outcomeRing() {
        return new OutcomeRing(address + outcomes(), operations);
    }

    /** One side's view of the notification ring, from its start. */
    public NotificationRing notificationRing() {
        return new NotificationRing(address + notificationOffset(), notifications);
    }

    /** Address of the first fragment of requests. */
    public long requestAddress() {
        return address + requests();
    }

    /** Address of the first fragment of answers. */
    public long answerAddress() {
        return requestAddress() + (long) fragments * fragmentBytes;
    }

    /** Publishes how many notifications have been taken; the application only. */
    public void taken(final long count) {
        Memory.putLongRelease(address + TAKEN, count);
    }

    /**
     * True if one more notification fits after {@code put} of them; the node only. What the
     * application reports is accepted only within what was put.
     */
    public boolean hasRoom(final long put) {
        final long waiting = put - Memory.getLongAcquire(address + TAKEN);
        return waiting >= 0 && waiting < notifications;
    }

    /** Sets whether taking a notification has to wake the node; the node only. */
    public void takeAwaited(final boolean isAwaited) {
        Memory.putIntVolatile(address + TAKE_AWAITED, isAwaited ? 1 : 0);
    }

    /** Whether taking a notification has to wake the node; after a full fence. */
    public boolean isTakeAwaited() {
        return Memory.getInt(address + TAKE_AWAITED) != 0;
    }

    private long outcomes() {
        return RINGS + (long) operations * OperationRing.ENTRY_BYTES;
    }

    private long notificationOffset() {
        return align(outcomes() + (long) operations * OutcomeRing.ENTRY_BYTES);
    }

    private long requests() {
        return align(notificationOffset() + (long) notifications * NotificationRing.ENTRY_BYTES);
    }

    // Rings of different writers share neither a cache line nor the adjacent one that is
    // prefetched.
    private static long align(final long offset) {
        return (offset + 127) & -128L;
    }
}
