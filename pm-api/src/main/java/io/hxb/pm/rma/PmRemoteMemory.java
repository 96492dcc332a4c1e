package io.hxb.pm.rma;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.RemoteMemoryAccess;
import io.hxb.pm.share.DestinationShares;
import io.hxb.pm.shm.NotificationRing;
import io.hxb.pm.shm.OperationRing;
import io.hxb.pm.shm.OutcomeRing;
import io.hxb.pm.shm.RemoteMemoryArea;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Remote memory over a context: others read, write and change what this application shares, and it
 * does so with what others share. The nodes do all of it; no other application has to wake up.
 * Owned by the context's thread, which alone calls its methods; it ends with the context. Messages
 * go on as before, and have no order with these operations.
 *
 * <p>A region is shared by {@link #share}, which returns a key; a context that has the key, with
 * node and context, makes a {@link PmRemoteRegion} of it. The methods that begin an operation
 * return its number; {@link #poll(PmOutcome)} returns when it is done and how it has ended, and
 * only then is the number free again. {@link #finish} waits for all and takes the outcomes of those
 * that have no value. The methods with a time-out wait for the end of the operation that they
 * begin.
 *
 * <p>Order. Puts, atomic operations and fences of one context to one other are performed, and all
 * operations end, in the order in which they were begun. A get reads after the puts and atomic
 * operations before it were performed, but may see those that were begun after it; a {@link #fence}
 * keeps these back. Bytes of one put or get are written and read in no particular order and not as
 * one; an atomic operation is one also towards threads of the other application that use atomic
 * operations of the CPU. Between different pairs of contexts there is no order. A put is done, and
 * notified, when all its bytes can be read at the destination.
 */
public final class PmRemoteMemory {
    private final RemoteMemoryAccess door;
    private final RemoteMemoryArea area;
    private final OperationRing operations;
    private final OutcomeRing outcomes;
    private final NotificationRing notifications;
    private final int[] free;
    private final boolean[] isUnderWay;

    /** Of each operation, whether its outcome has a value. */
    private final boolean[] isAtomic;

    private final int[] shareOf;
    private final DestinationShares shares;
    private final OutcomeQueue kept;
    private final PmOutcome next = new PmOutcome();
    private final BooleanSupplier hasOutcome;
    private final BooleanSupplier hasAnything;
    private int freeCount;

    private PmRemoteMemory(final RemoteMemoryAccess door, final RemoteMemoryArea area) {
        this.door = door;
        this.area = area;
        operations = area.operationRing();
        outcomes = area.outcomeRing();
        notifications = area.notificationRing();
        free = new int[area.operations()];
        isUnderWay = new boolean[area.operations()];
        isAtomic = new boolean[area.operations()];
        shareOf = new int[area.operations()];
        shares = new DestinationShares(area.operations());
        kept = new OutcomeQueue(area.operations());
        for (int operation = free.length - 1; operation >= 0; operation--) {
            free[freeCount++] = operation;
        }
        hasOutcome = outcomes::isReady;
        hasAnything = () -> !kept.isEmpty() || outcomes.isReady() || notifications.isReady();
        door.onReady(hasAnything);
    }

    /**
     * Lets a context use remote memory, with default sizes; once for a context.
     *
     * @param context that is open; this ends with it.
     * @return what it is used by.
     * @throws IOException if the node refuses, is gone, or is of an HXB without remote memory.
     */
    public static PmRemoteMemory open(final PmContext context) throws IOException {
        return open(context, PmRemoteOptions.DEFAULT);
    }

    /**
     * As {@link #open(PmContext)} with other sizes. Blocks for at most 5 seconds.
     *
     * @param context that is open.
     * @param options sizes.
     * @return what it is used by.
     * @throws IOException if the node refuses, is gone, or is of an HXB without remote memory.
     */
    public static PmRemoteMemory open(final PmContext context, final PmRemoteOptions options)
            throws IOException {
        final RemoteMemoryAccess door = context.remoteDoor();
        return new PmRemoteMemory(door, door.open(options.request()));
    }

    /**
     * Shares a region with all that know the key, by any context of this device that uses remote
     * memory. A region may be shared several times, with different rights. Blocks for at most 5
     * seconds.
     *
     * @param region of this context's device; for more than {@link PmAccess#READ} a writable one.
     * @param rights of {@link PmAccess}, one or more.
     * @return the key, which cannot be guessed.
     * @throws IOException if the node refuses or is gone.
     * @throws IllegalArgumentException if the rights are not such, or the region is not writable or
     *     of another device.
     */
    public long share(final PmRegion region, final int rights) throws IOException {
        if (rights < 1 || rights > PmAccess.ALL) {
            throw new IllegalArgumentException("rights must be 1.." + PmAccess.ALL + ": " + rights);
        }
        if (rights != PmAccess.READ && !region.isWritable()) {
            throw new IllegalArgumentException(
                    "others may only read the region: make it by openWritableRegion");
        }
        return door.share(region, rights);
    }

    /**
     * Ends the sharing by a key. After this returns nothing is written by it any more; what was
     * read by it before may still be on its way. Operations that use the key end with {@link
     * PmStatus#BAD_KEY}. Blocks for at most 5 seconds.
     *
     * @param key as {@link #share} returned it.
     * @throws IOException if the node does not know the key, or is gone.
     */
    public void revoke(final long key) throws IOException {
        door.revoke(key);
    }

    /**
     * Begins to write bytes of a region of this application into one of another.
     *
     * @param from region of this context's device; the bytes must not be changed until it is done.
     * @param fromOffset first byte there.
     * @param to region written to.
     * @param toOffset first byte there; the destination's node checks it.
     * @param lengthBytes 0 to 2^30.
     * @return the operation's number, 0 or more; {@link PmStatus#NO_BUFFERS} when too many are
     *     under way or not yet taken, at all or for this destination: poll, then try again; {@link
     *     PmStatus#CONTEXT_CLOSED} or {@link PmStatus#NODE_GONE}: close the context.
     */
    public int put(
            final PmRegion from,
            final long fromOffset,
            final PmRemoteRegion to,
            final long toOffset,
            final long lengthBytes) {
        return transfer(OperationRing.PUT, from, fromOffset, to, toOffset, lengthBytes, 0);
    }

    /**
     * As {@link #put}; the other application is notified of it by {@link #poll(PmNotification)}
     * when all its bytes can be read there.
     *
     * @param from region of this context's device.
     * @param fromOffset first byte there.
     * @param to region written to.
     * @param toOffset first byte there.
     * @param lengthBytes 0 to 2^30.
     * @param tag any 64 bits.
     * @return as {@link #put}.
     */
    public int putAndNotify(
            final PmRegion from,
            final long fromOffset,
            final PmRemoteRegion to,
            final long toOffset,
            final long lengthBytes,
            final long tag) {
        return transfer(OperationRing.PUT_NOTIFY, from, fromOffset, to, toOffset, lengthBytes, tag);
    }

    /**
     * Begins to read bytes of another application's region into one of this application.
     *
     * @param from region read.
     * @param fromOffset first byte there; its node checks it.
     * @param to writable region of this context's device; the bytes must not be used until it is
     *     done.
     * @param toOffset first byte there.
     * @param lengthBytes 0 to 2^30.
     * @return as {@link #put}.
     */
    public int get(
            final PmRemoteRegion from,
            final long fromOffset,
            final PmRegion to,
            final long toOffset,
            final long lengthBytes) {
        if (!to.isWritable()) {
            throw new IllegalArgumentException(
                    "the node cannot write to the region: make it by openWritableRegion");
        }
        return transfer(OperationRing.GET, to, toOffset, from, fromOffset, lengthBytes, 0);
    }

    private int transfer(
            final int kind,
            final PmRegion local,
            final long localOffset,
            final PmRemoteRegion remote,
            final long offset,
            final long lengthBytes,
            final long tag) {
        if (lengthBytes < 0 || lengthBytes > OperationRing.MAX_LENGTH) {
            throw new IllegalArgumentException("lengthBytes must be 0..2^30: " + lengthBytes);
        }
        door.checkDestination(remote.node(), remote.context());
        final int region = door.check(local, localOffset, lengthBytes);
        final int operation = claim(remote.node(), remote.context());
        if (operation >= 0) {
            operations
                    .begin(operation, kind, remote.node(), remote.context())
                    .local(region, localOffset, lengthBytes)
                    .remote(remote.key(), offset)
                    .operands(tag, 0);
            submit();
        }
        return operation;
    }

    /**
     * Begins to add to a number of 8 bytes, in the CPU's order of bytes; the outcome has the value
     * before.
     *
     * @param to region that has the number.
     * @param offset a multiple of 8.
     * @param addend added, with wrap-around.
     * @return as {@link #put}.
     */
    public int fetchAndAdd(final PmRemoteRegion to, final long offset, final long addend) {
        return atomic(OperationRing.ADD, to, offset, addend, 0);
    }

    /**
     * Begins to replace a number of 8 bytes if it is the expected one; the outcome has the value
     * before, which is the expected one if it was replaced.
     *
     * @param to region that has the number.
     * @param offset a multiple of 8.
     * @param expected value to be replaced.
     * @param desired new value.
     * @return as {@link #put}.
     */
    public int compareAndSwap(
            final PmRemoteRegion to, final long offset, final long expected, final long desired) {
        return atomic(OperationRing.SWAP, to, offset, expected, desired);
    }

    private int atomic(
            final int kind,
            final PmRemoteRegion to,
            final long offset,
            final long first,
            final long second) {
        door.checkDestination(to.node(), to.context());
        final int operation = claim(to.node(), to.context());
        if (operation >= 0) {
            isAtomic[operation] = true;
            operations
                    .begin(operation, kind, to.node(), to.context())
                    .remote(to.key(), offset)
                    .operands(first, second);
            submit();
        }
        return operation;
    }

    /**
     * Begins a fence: it is done when all operations that were begun before it towards a context
     * are done, and those begun after it are not performed before that.
     *
     * @param node of the destination.
     * @param context of the destination.
     * @return as {@link #put}.
     */
    public int fence(final int node, final int context) {
        door.checkDestination(node, context);
        final int operation = claim(node, context);
        if (operation >= 0) {
            operations.begin(operation, OperationRing.FENCE, node, context);
            submit();
        }
        return operation;
    }

    private int claim(final int node, final int context) {
        final int status = door.status();
        if (status != PmStatus.OK) {
            return status;
        }
        final int share = freeCount == 0 ? DestinationShares.NONE : shares.of(node, context);
        if (share == DestinationShares.NONE || !shares.mayTake(share)) {
            return door.idle(PmStatus.NO_BUFFERS);
        }
        shares.onTaken(share);
        final int operation = free[--freeCount];
        isUnderWay[operation] = true;
        isAtomic[operation] = false;
        shareOf[operation] = share;
        return operation;
    }

    private void submit() {
        operations.publish();
        door.onSubmitted();
    }

    /**
     * As {@link #put}, and waits until it is done.
     *
     * @param from region of this context's device.
     * @param fromOffset first byte there.
     * @param to region written to.
     * @param toOffset first byte there.
     * @param lengthBytes 0 to 2^30.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if all bytes can be read at the destination; why not, see {@link
     *     PmOutcome#status()}; {@link PmStatus#NO_BUFFERS} if it was not begun because too many
     *     are; or, with the operation left under way and its outcome to be taken later, as {@link
     *     #await}.
     */
    public int put(
            final PmRegion from,
            final long fromOffset,
            final PmRemoteRegion to,
            final long toOffset,
            final long lengthBytes,
            final long timeoutNs) {
        return awaitEnd(put(from, fromOffset, to, toOffset, lengthBytes), next, timeoutNs);
    }

    /**
     * As {@link #get}, and waits until it is done.
     *
     * @param from region read.
     * @param fromOffset first byte there.
     * @param to writable region of this context's device.
     * @param toOffset first byte there.
     * @param lengthBytes 0 to 2^30.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if all bytes are here; otherwise as the blocking {@link
     *     #put(PmRegion, long, PmRemoteRegion, long, long, long) put}.
     */
    public int get(
            final PmRemoteRegion from,
            final long fromOffset,
            final PmRegion to,
            final long toOffset,
            final long lengthBytes,
            final long timeoutNs) {
        return awaitEnd(get(from, fromOffset, to, toOffset, lengthBytes), next, timeoutNs);
    }

    /**
     * As {@link #fetchAndAdd(PmRemoteRegion, long, long)}, and waits until it is done.
     *
     * @param to region that has the number.
     * @param offset a multiple of 8.
     * @param addend added, with wrap-around.
     * @param outcome filled when the result is OK: its value is the one before.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as the blocking {@link #put(PmRegion, long, PmRemoteRegion, long, long, long) put}.
     */
    public int fetchAndAdd(
            final PmRemoteRegion to,
            final long offset,
            final long addend,
            final PmOutcome outcome,
            final long timeoutNs) {
        return awaitEnd(fetchAndAdd(to, offset, addend), outcome, timeoutNs);
    }

    /**
     * As {@link #compareAndSwap(PmRemoteRegion, long, long, long)}, and waits until it is done.
     *
     * @param to region that has the number.
     * @param offset a multiple of 8.
     * @param expected value to be replaced.
     * @param desired new value.
     * @param outcome filled when the result is OK: its value is the one before.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as the blocking {@link #put(PmRegion, long, PmRemoteRegion, long, long, long) put}.
     */
    public int compareAndSwap(
            final PmRemoteRegion to,
            final long offset,
            final long expected,
            final long desired,
            final PmOutcome outcome,
            final long timeoutNs) {
        return awaitEnd(compareAndSwap(to, offset, expected, desired), outcome, timeoutNs);
    }

    /** Waits for the end of one operation; keeps the outcomes of others for {@link #poll}. */
    private int awaitEnd(final int operation, final PmOutcome outcome, final long timeoutNs) {
        if (operation < 0) {
            return operation;
        }
        final long startNs = System.nanoTime();
        while (true) {
            int status = takeOutcome(outcome);
            if (status == PmStatus.EMPTY) {
                status = awaitOutcome(startNs, timeoutNs);
            } else if (status == PmStatus.OK && outcome.operation() == operation) {
                onTaken(operation);
                return outcome.status();
            } else if (status == PmStatus.OK) {
                kept.add(outcome);
            }
            if (status != PmStatus.OK) {
                return status;
            }
        }
    }

    /**
     * Takes the outcome of an operation that is done. Does not wait.
     *
     * @param outcome filled when the result is OK.
     * @return {@link PmStatus#OK}, {@link PmStatus#EMPTY}, {@link PmStatus#CONTEXT_CLOSED} or
     *     {@link PmStatus#NODE_GONE}.
     */
    public int poll(final PmOutcome outcome) {
        final int status = kept.take(outcome) ? PmStatus.OK : takeOutcome(outcome);
        if (status == PmStatus.OK) {
            onTaken(outcome.operation());
        }
        return status;
    }

    /** Takes an outcome from the node; the operation's number is not free yet. */
    private int takeOutcome(final PmOutcome outcome) {
        final int status = door.status();
        if (status != PmStatus.OK || !outcomes.take()) {
            return status != PmStatus.OK ? status : door.idle(PmStatus.EMPTY);
        }
        final int operation = outcomes.slot();
        if (operation < 0 || operation >= isUnderWay.length || !isUnderWay[operation]) {
            throw new IllegalStateException("the outcome ring was overwritten: " + operation);
        }
        isUnderWay[operation] = false;
        shares.onDone(shareOf[operation]);
        outcome.set(operation, outcomes.status(), outcomes.value());
        return PmStatus.OK;
    }

    private void onTaken(final int operation) {
        shares.onFree(shareOf[operation], 0);
        free[freeCount++] = operation;
    }

    /**
     * Takes a notification. Does not wait.
     *
     * @param notification filled when the result is OK.
     * @return {@link PmStatus#OK}, {@link PmStatus#EMPTY}, {@link PmStatus#CONTEXT_CLOSED} or
     *     {@link PmStatus#NODE_GONE}.
     */
    public int poll(final PmNotification notification) {
        final int status = door.status();
        if (status != PmStatus.OK || !notifications.take()) {
            return status != PmStatus.OK ? status : door.idle(PmStatus.EMPTY);
        }
        notification.set(notifications);
        area.taken(notifications.position());
        door.onTaken(area);
        return PmStatus.OK;
    }

    /** {@return the number of operations whose outcomes have not been taken} */
    public int unfinished() {
        return free.length - freeCount;
    }

    /**
     * {@return the number of operations towards a context whose outcomes have not been taken} One
     * that does not take notifications holds back its own operations only: it may have as many of
     * them as {@link PmContext#destination} describes of buffers.
     *
     * @param node of the destination.
     * @param context of the destination.
     */
    public int unfinished(final int node, final int context) {
        door.checkDestination(node, context);
        final int share = shares.find(node, context);
        return share == DestinationShares.NONE ? 0 : shares.messages(share);
    }

    /**
     * Waits until there is an outcome or a notification to take.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if there is one; otherwise as {@link PmContext#awaitSends}.
     */
    public int await(final long timeoutNs) {
        return door.await(false, timeoutNs);
    }

    /**
     * Waits until there is an outcome, a notification or a message to take.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if there is one; otherwise as {@link PmContext#await}.
     */
    public int awaitAny(final long timeoutNs) {
        return door.await(true, timeoutNs);
    }

    /**
     * Waits until all operations are done. Takes the outcomes of all but atomic operations, whose
     * values {@link #poll(PmOutcome)} has afterwards; notifications remain, too.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if all that have ended within it were; the status of the first
     *     that was not, when all are done; or, with operations left, as {@link #await}.
     */
    public int finish(final long timeoutNs) {
        final long startNs = System.nanoTime();
        int worst = PmStatus.OK;
        while (unfinished() > kept.count()) {
            int status = takeOutcome(next);
            if (status == PmStatus.OK) {
                worst = worst == PmStatus.OK ? next.status() : worst;
                if (isAtomic[next.operation()]) {
                    kept.add(next);
                } else {
                    onTaken(next.operation());
                }
            } else if (status == PmStatus.EMPTY) {
                status = awaitOutcome(startNs, timeoutNs);
            }
            if (status != PmStatus.OK) {
                return status;
            }
        }
        return worst;
    }

    // Notifications that nobody takes meanwhile must not keep it from sleeping.
    private int awaitOutcome(final long startNs, final long timeoutNs) {
        final long leftNs = timeoutNs - (System.nanoTime() - startNs);
        door.onReady(hasOutcome);
        final int status = door.await(false, Math.max(0, leftNs));
        door.onReady(hasAnything);
        return status;
    }
}
