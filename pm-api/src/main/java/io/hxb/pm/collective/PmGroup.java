package io.hxb.pm.collective;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmException;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

import org.agrona.MutableDirectBuffer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A member of a group of programs, or of contexts of one program, whose nodes carry out operations
 * of all members together: barriers, broadcasts, and sums, minima and maxima. A node combines what
 * its members and then its lines send, along X, then Y, then Z, and wakes each member once. All
 * members get the same bits. Owned by one thread; nothing allocates once it has joined.
 *
 * <p>A member has a context of its own on the device, which it opens and closes, so that its
 * messages are never mixed with those of the program.
 *
 * <p>All members call the same operations in the same order, with the same types, counts, functions
 * and roots; members that do not all get {@link PmStatus#DISAGREEMENT}. A member can begin an
 * operation when it has the result of the last one. Every operation waits for all members, also a
 * broadcast. When a member or its node goes away, the operations that have no result yet, and all
 * later ones, end with a status at all members. Failing links only take time, as long as there is a
 * way.
 *
 * <p>The nodes of a group may be any box of coordinates, such as a line, a plane or all, whose
 * coordinates need not be neighbours; otherwise they may be at most 64.
 *
 * <pre>{@code
 * int[] nodes = {0, 1, 2, 3}; // of the members, by rank
 * try (PmGroup group = PmGroup.join(device, 7, id, nodes, rank, SECOND_NS)) {
 *     double[] values = {mine};
 *     if (group.allreduce(SUM, DOUBLE, MemorySegment.ofArray(values), SECOND_NS) == PmStatus.OK) {
 *         sum = values[0];
 *     }
 * }
 * }</pre>
 */
public final class PmGroup implements AutoCloseable {
    /** Longest data of an operation in bytes. */
    public static final int MAX_BYTES = GroupProtocol.MAX_BYTES;

    private static final int SEND_BUFFERS = 32;
    private static final long LEAVE_NS = 1_000_000_000L;

    private final PmContext context;
    private final int node;
    private final long id;
    private final int rank;
    private final int memberCount;
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();
    private final GroupOperation operation = new GroupOperation();
    private int instance;

    /** Number of the operation that was begun last. */
    private int number;

    private int status = PmStatus.OK;
    private boolean isUnderWay;
    private boolean isClosed;

    private PmGroup(
            final PmContext context,
            final int node,
            final long id,
            final int rank,
            final int memberCount) {
        this.context = context;
        this.node = node;
        this.id = id;
        this.rank = rank;
        this.memberCount = memberCount;
    }

    /**
     * Joins a group. Blocks until this node has all its members and the nodes on its lines have
     * theirs.
     *
     * @param device of one of the members' nodes.
     * @param contextId that is opened for this member.
     * @param id any number that the members have agreed on; one that cannot be guessed, and that
     *     was not used before, keeps others out.
     * @param nodes node of each member, by rank, 1 to 65,536 of them; the same list at all members.
     * @param rank of this member, 0 to {@code nodes.length} - 1; its node is the device's.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return the member, which the caller closes.
     * @throws IOException if the context cannot be opened, the time has passed, or the node
     *     refuses; the message gives the reason.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public static PmGroup join(
            final PmDevice device,
            final int contextId,
            final long id,
            final int[] nodes,
            final int rank,
            final long timeoutNs)
            throws IOException {
        final int[] counts = MemberNodes.counts(device, nodes, rank);
        final PmContext context =
                device.openContext(
                        contextId, PmContextOptions.DEFAULT.withSendBuffers(SEND_BUFFERS));
        final PmGroup group = new PmGroup(context, device.nodeId(), id, rank, nodes.length);
        final long startNs = System.nanoTime();
        int result =
                new GroupJoin(context, device.nodeId(), id, rank, nodes.length)
                        .send(counts, timeoutNs);
        if (result == PmStatus.OK) {
            result = group.awaitJoined(startNs, timeoutNs);
        }
        if (result != PmStatus.OK) {
            group.close();
            throw new PmException(GroupJoin.refusal(result));
        }
        return group;
    }

    /** {@return the rank of this member} */
    public int rank() {
        return rank;
    }

    /** {@return the number of members} */
    public int memberCount() {
        return memberCount;
    }

    private int awaitJoined(final long startNs, final long timeoutNs) {
        while (instance == 0 && status == PmStatus.OK) {
            final int waited =
                    context.await(Math.max(0, timeoutNs - (System.nanoTime() - startNs)));
            if (waited != PmStatus.OK && waited != PmStatus.EVENT) {
                return waited;
            }
            poll();
        }
        return status;
    }

    /**
     * Begins a barrier, which ends when all members have begun it.
     *
     * @return {@link PmStatus#OK} if it has begun, or why there is no operation any more.
     * @throws IllegalStateException if the result of the last operation has not been taken.
     */
    public int startBarrier() {
        final int ready = checkReady();
        if (ready == PmStatus.OK) {
            operation.barrier();
            start();
        }
        return ready;
    }

    /**
     * Begins a broadcast, at the end of which all members have the bytes of the root.
     *
     * @param rootRank of the member whose bytes all get.
     * @param data what the root gives; the others' is written when {@link #test} or {@link #await}
     *     report its end. Not to be used in between.
     * @param offset of the first byte in {@code data}.
     * @param lengthBytes 0 to {@link #MAX_BYTES}, the same at all members.
     * @return as {@link #startBarrier}.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public int startBroadcast(
            final int rootRank,
            final MutableDirectBuffer data,
            final int offset,
            final int lengthBytes) {
        checkLength(lengthBytes);
        data.boundsCheck(offset, lengthBytes);
        checkRoot(rootRank);
        final int ready = checkReady();
        if (ready == PmStatus.OK) {
            operation.broadcast(rootRank, lengthBytes, rootRank == rank);
            operation.data(data, offset);
            start();
        }
        return ready;
    }

    /**
     * As the other {@link #startBroadcast(int, MutableDirectBuffer, int, int) startBroadcast}, of a
     * whole segment.
     *
     * @param rootRank of the member whose bytes all get.
     * @param data given by the root, written at the others: 0 to {@link #MAX_BYTES} bytes, in an
     *     array of any type or native, as long at all members.
     * @return as {@link #startBarrier}.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public int startBroadcast(final int rootRank, final MemorySegment data) {
        final int lengthBytes = checkLength(data);
        checkRoot(rootRank);
        final int ready = checkReady();
        if (ready == PmStatus.OK) {
            operation.broadcast(rootRank, lengthBytes, rootRank == rank);
            operation.data(data);
            start();
        }
        return ready;
    }

    private void checkRoot(final int rootRank) {
        if (rootRank < 0 || rootRank >= memberCount) {
            throw new IllegalArgumentException(
                    "rootRank must be 0.." + (memberCount - 1) + ": " + rootRank);
        }
    }

    /**
     * Begins an allreduce: each element becomes the combination of those of all members.
     *
     * @param how they are combined.
     * @param element type of the elements, which are little-endian.
     * @param data the elements of this member, and those of all when {@link #test} or {@link
     *     #await} report its end. Not to be used in between.
     * @param offset of the first element in {@code data}.
     * @param elements 0 to as many as fit {@link #MAX_BYTES}.
     * @return as {@link #startBarrier}.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public int startAllreduce(
            final PmFunction how,
            final PmElement element,
            final MutableDirectBuffer data,
            final int offset,
            final int elements) {
        if (elements < 0 || elements > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "elements must be 0.." + MAX_BYTES / element.lengthBytes() + ": " + elements);
        }
        final int lengthBytes = elements * element.lengthBytes();
        checkLength(lengthBytes);
        data.boundsCheck(offset, lengthBytes);
        final int ready = checkReady();
        if (ready == PmStatus.OK) {
            operation.allreduce(how, element, elements);
            operation.data(data, offset);
            start();
        }
        return ready;
    }

    /**
     * As the other {@link #startAllreduce(PmFunction, PmElement, MutableDirectBuffer, int, int)
     * startAllreduce}, of a whole segment.
     *
     * @param how they are combined.
     * @param element type of the elements.
     * @param data the elements of this member, then those of all, in an array such as {@code
     *     MemorySegment.ofArray(double[])} or native; a multiple of the element's length.
     * @return as {@link #startBarrier}.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public int startAllreduce(
            final PmFunction how, final PmElement element, final MemorySegment data) {
        final int lengthBytes = checkLength(data);
        if (lengthBytes % element.lengthBytes() != 0) {
            throw new IllegalArgumentException(
                    "data must be whole elements of "
                            + element.lengthBytes()
                            + " bytes: "
                            + lengthBytes);
        }
        final int ready = checkReady();
        if (ready == PmStatus.OK) {
            operation.allreduce(how, element, lengthBytes / element.lengthBytes());
            operation.data(data);
            start();
        }
        return ready;
    }

    private static int checkLength(final MemorySegment data) {
        if (data.isReadOnly()) {
            throw new IllegalArgumentException("data must be writable");
        }
        final int lengthBytes = (int) Math.min(Integer.MAX_VALUE, data.byteSize());
        checkLength(lengthBytes);
        return lengthBytes;
    }

    private static void checkLength(final int lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "lengthBytes must be 0.." + MAX_BYTES + ": " + lengthBytes);
        }
    }

    /** {@link PmStatus#OK} if an operation can begin, or why there is none any more. */
    private int checkReady() {
        if (isClosed || isUnderWay) {
            throw new IllegalStateException(
                    isClosed
                            ? "the group is closed"
                            : "the last operation has not ended: test or await it first");
        }
        return status;
    }

    private void start() {
        number++;
        isUnderWay = true;
        contribute();
    }

    private void contribute() {
        final int maxBytes = context.maxLengthBytes() - GroupProtocol.HEADER_BYTES;
        while (!operation.isSent()) {
            final int pieceBytes = operation.nextPieceBytes(maxBytes);
            final int length = GroupProtocol.HEADER_BYTES + pieceBytes;
            final int slot = context.claim(node, GroupProtocol.CONTEXT, length);
            if (slot < 0) {
                if (slot != PmStatus.NO_BUFFERS) {
                    end(slot);
                }
                return;
            }
            GroupProtocol.header(context.sendAddress(slot), id, instance, number, PmStatus.OK);
            operation.putPiece(context, slot, pieceBytes);
            context.send(slot, length, GroupProtocol.CONTRIBUTE);
        }
    }

    private void end(final int reason) {
        isUnderWay = false;
        operation.clear();
        status = reason;
    }

    /**
     * Looks whether the operation has ended; does not wait.
     *
     * @return {@link PmStatus#OK} if it has ended and its data is there, or there is none; {@link
     *     PmStatus#EMPTY} if it has not; {@link PmStatus#DISAGREEMENT} if members do not agree on
     *     it; otherwise why the group has ended: close it.
     */
    public int test() {
        if (isUnderWay) {
            contribute();
            poll();
        }
        return isUnderWay ? PmStatus.EMPTY : takeStatus();
    }

    /** Members that do not agree may do so the next time; all else remains. */
    private int takeStatus() {
        final int taken = status;
        if (taken == PmStatus.DISAGREEMENT) {
            status = PmStatus.OK;
        }
        return taken;
    }

    /**
     * Waits until the operation has ended: spins, then sleeps.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as {@link #test}, but {@link PmStatus#TIMED_OUT} if it has not ended, and {@link
     *     PmStatus#NODE_SILENT} if the node stands still: wait again.
     */
    public int await(final long timeoutNs) {
        final long startNs = System.nanoTime();
        int result = test();
        while (result == PmStatus.EMPTY) {
            final long leftNs = Math.max(0, timeoutNs - (System.nanoTime() - startNs));
            final int waited =
                    operation.isSent() ? context.await(leftNs) : context.awaitAny(leftNs);
            if (waited == PmStatus.TIMED_OUT || waited == PmStatus.NODE_SILENT) {
                return waited;
            }
            if (waited != PmStatus.OK && waited != PmStatus.EVENT) {
                end(waited);
            }
            result = test();
        }
        return result;
    }

    /**
     * Waits until all members have called it.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as {@link #await}; after a time-out it is under way, and can be awaited again.
     */
    public int barrier(final long timeoutNs) {
        final int started = startBarrier();
        return started == PmStatus.OK ? await(timeoutNs) : started;
    }

    /**
     * As {@link #startBroadcast}, and waits.
     *
     * @param rootRank of the member whose bytes all get.
     * @param data given by the root, written at the others.
     * @param offset of the first byte in {@code data}.
     * @param lengthBytes 0 to {@link #MAX_BYTES}.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as {@link #barrier}.
     */
    public int broadcast(
            final int rootRank,
            final MutableDirectBuffer data,
            final int offset,
            final int lengthBytes,
            final long timeoutNs) {
        final int started = startBroadcast(rootRank, data, offset, lengthBytes);
        return started == PmStatus.OK ? await(timeoutNs) : started;
    }

    /**
     * As {@link #startAllreduce}, and waits.
     *
     * @param how elements are combined.
     * @param element their type.
     * @param data elements of this member, then those of all.
     * @param offset of the first element in {@code data}.
     * @param elements 0 to as many as fit {@link #MAX_BYTES}.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as {@link #barrier}.
     */
    public int allreduce(
            final PmFunction how,
            final PmElement element,
            final MutableDirectBuffer data,
            final int offset,
            final int elements,
            final long timeoutNs) {
        final int started = startAllreduce(how, element, data, offset, elements);
        return started == PmStatus.OK ? await(timeoutNs) : started;
    }

    /**
     * As {@link #startBroadcast(int, MemorySegment)}, and waits.
     *
     * @param rootRank of the member whose bytes all get.
     * @param data given by the root, written at the others.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as {@link #barrier}.
     */
    public int broadcast(final int rootRank, final MemorySegment data, final long timeoutNs) {
        final int started = startBroadcast(rootRank, data);
        return started == PmStatus.OK ? await(timeoutNs) : started;
    }

    /**
     * As {@link #startAllreduce(PmFunction, PmElement, MemorySegment)}, and waits.
     *
     * @param how elements are combined.
     * @param element their type.
     * @param data elements of this member, then those of all.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return as {@link #barrier}.
     */
    public int allreduce(
            final PmFunction how,
            final PmElement element,
            final MemorySegment data,
            final long timeoutNs) {
        final int started = startAllreduce(how, element, data);
        return started == PmStatus.OK ? await(timeoutNs) : started;
    }

    private void poll() {
        while (context.receive(message) == PmStatus.OK) {
            onMessage();
            context.release(message);
        }
        while (context.pollEvent(event) == PmStatus.OK) {
            // Only the own node is sent to: it serves groups no more, or refuses.
            end(event.status());
        }
    }

    private void onMessage() {
        final long address = message.address();
        if (message.sourceNode() != node
                || message.sourceContext() != GroupProtocol.CONTEXT
                || message.lengthBytes() < GroupProtocol.HEADER_BYTES
                || Memory.getLong(address + GroupProtocol.ID) != id) {
            return;
        }
        if (message.tag() == GroupProtocol.JOINED) {
            status = Memory.getInt(address + GroupProtocol.STATUS);
            instance = Memory.getInt(address + GroupProtocol.INSTANCE);
        } else if (message.tag() == GroupProtocol.RESULT
                && isUnderWay
                && Memory.getInt(address + GroupProtocol.OPERATION) == number) {
            final int result = operation.onResult(message);
            if (result != PmStatus.EMPTY) {
                end(result);
            }
        }
    }

    /**
     * Leaves the group and closes the context. Operations that this member has not contributed to
     * end at all others. Waits for the node to take note of it, usually some microseconds.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        final int slot = context.claim(node, GroupProtocol.CONTEXT, GroupProtocol.HEADER_BYTES);
        if (slot >= 0) {
            GroupProtocol.header(context.sendAddress(slot), id, instance, 0, PmStatus.OK);
            context.send(slot, GroupProtocol.HEADER_BYTES, GroupProtocol.LEAVE);
            context.awaitAllSends(LEAVE_NS);
        }
        context.close();
    }
}
