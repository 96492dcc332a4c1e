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
    private int instance;
    private int operation;
    private int status = PmStatus.OK;
    private boolean isUnderWay;
    private int kind;
    private int type;
    private int function;
    private int count;
    private int root;

    /** The data of the operation under way, in one of two forms; both null if it has none. */
    private MutableDirectBuffer buffer;

    private MemorySegment segment;
    private int bufferOffset;
    private int contributedBytes;
    private int sentBytes;
    private int receivedBytes;
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
     *     refuses; the message says why.
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
        int result = group.sendJoin(counts, timeoutNs);
        if (result == PmStatus.OK) {
            result = group.awaitJoined(startNs, timeoutNs);
        }
        if (result != PmStatus.OK) {
            group.close();
            throw new PmException(whyNot(result));
        }
        return group;
    }

    private static String whyNot(final int status) {
        final String reason =
                switch (status) {
                    case PmStatus.TIMED_OUT ->
                            "not all members have joined in time, or a node is of an HXB without"
                                    + " groups";
                    case PmStatus.DISAGREEMENT ->
                            "the members have different lists, or two have one rank";
                    case PmStatus.NOT_ALLOWED ->
                            "the members are of different tenants, or of one that may not talk with"
                                    + " itself";
                    case PmStatus.GROUP_LIMIT ->
                            "the node has as many groups, or as much memory for them, as it may";
                    case PmStatus.GROUP_NODES ->
                            "the nodes are too many, or not a box of coordinates and more than 64";
                    default -> "a member or a node is gone";
                };
        return "the group cannot be joined: " + reason + " (" + PmStatus.name(status) + ")";
    }

    /** {@return the rank of this member} */
    public int rank() {
        return rank;
    }

    /** {@return the number of members} */
    public int memberCount() {
        return memberCount;
    }

    // ---- Joining ----

    private int sendJoin(final int[] counts, final long timeoutNs) {
        int nodeCount = 0;
        for (final int members : counts) {
            nodeCount += members > 0 ? 1 : 0;
        }
        final int most =
                (context.maxLengthBytes() - GroupProtocol.JOIN_HEADER_BYTES)
                        / GroupProtocol.JOIN_NODE_BYTES;
        int next = 0;
        for (int first = 0; first < nodeCount; first += most) {
            final int here = Math.min(most, nodeCount - first);
            final int length =
                    GroupProtocol.JOIN_HEADER_BYTES + here * GroupProtocol.JOIN_NODE_BYTES;
            final int slot = context.claim(node, GroupProtocol.CONTEXT, length, timeoutNs);
            if (slot < 0) {
                return slot;
            }
            final long address = context.sendAddress(slot);
            Memory.putLong(address + GroupProtocol.ID, id);
            Memory.putInt(address + GroupProtocol.JOIN_RANK, rank);
            Memory.putInt(address + GroupProtocol.JOIN_MEMBERS, memberCount);
            Memory.putInt(address + GroupProtocol.JOIN_NODES, nodeCount);
            Memory.putInt(address + GroupProtocol.JOIN_FIRST, first);
            Memory.putLong(address + GroupProtocol.JOIN_HERE, here);
            for (int i = 0; i < here; i++) {
                while (counts[next] == 0) {
                    next++;
                }
                final long entry =
                        address
                                + GroupProtocol.JOIN_HEADER_BYTES
                                + (long) i * GroupProtocol.JOIN_NODE_BYTES;
                Memory.putInt(entry, next);
                Memory.putInt(entry + 4, counts[next++]);
            }
            context.send(slot, length, GroupProtocol.JOIN);
        }
        return PmStatus.OK;
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

    // ---- Operations ----

    /**
     * Begins a barrier, which ends when all members have begun it.
     *
     * @return {@link PmStatus#OK} if it has begun, or why there is no operation any more.
     * @throws IllegalStateException if the result of the last operation has not been taken.
     */
    public int startBarrier() {
        return start(GroupProtocol.BARRIER, 0, 0, 0, 0, null, null, 0, 0);
    }

    /**
     * Begins a broadcast, at the end of which all members have the bytes of the root.
     *
     * @param rootRank of the member whose bytes all get.
     * @param data what the root gives; the others' is written when {@link #test} or {@link #await}
     *     say that it has ended. Not to be used in between.
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
        return startBroadcast(rootRank, data, null, offset, lengthBytes);
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
        return startBroadcast(rootRank, null, data, 0, checkLength(data));
    }

    private int startBroadcast(
            final int rootRank,
            final MutableDirectBuffer data,
            final MemorySegment part,
            final int offset,
            final int lengthBytes) {
        if (rootRank < 0 || rootRank >= memberCount) {
            throw new IllegalArgumentException(
                    "rootRank must be 0.." + (memberCount - 1) + ": " + rootRank);
        }
        final int contributed = rootRank == rank ? lengthBytes : 0;
        return start(
                GroupProtocol.BROADCAST,
                GroupProtocol.BYTE,
                GroupProtocol.NO_FUNCTION,
                lengthBytes,
                rootRank,
                data,
                part,
                offset,
                contributed);
    }

    /**
     * Begins an allreduce: each element becomes the combination of those of all members.
     *
     * @param how they are combined.
     * @param element type of the elements, which are little-endian.
     * @param data the elements of this member, and those of all when {@link #test} or {@link
     *     #await} say that it has ended. Not to be used in between.
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
        return start(
                GroupProtocol.ALLREDUCE,
                element.code(),
                how.code(),
                elements,
                0,
                data,
                null,
                offset,
                lengthBytes);
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
        return start(
                GroupProtocol.ALLREDUCE,
                element.code(),
                how.code(),
                lengthBytes / element.lengthBytes(),
                0,
                null,
                data,
                0,
                lengthBytes);
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

    private int start(
            final int newKind,
            final int newType,
            final int newFunction,
            final int newCount,
            final int newRoot,
            final MutableDirectBuffer data,
            final MemorySegment part,
            final int offset,
            final int lengthBytes) {
        if (isClosed || isUnderWay) {
            throw new IllegalStateException(
                    isClosed
                            ? "the group is closed"
                            : "the last operation has not ended: test or await it first");
        }
        if (status != PmStatus.OK) {
            return status;
        }
        kind = newKind;
        type = newType;
        function = newFunction;
        count = newCount;
        root = newRoot;
        buffer = data;
        segment = part;
        bufferOffset = offset;
        contributedBytes = lengthBytes;
        sentBytes = -1;
        receivedBytes = 0;
        operation++;
        isUnderWay = true;
        contribute();
        return PmStatus.OK;
    }

    private void contribute() {
        while (sentBytes < contributedBytes) {
            final int offset = Math.max(0, sentBytes);
            final int piece =
                    Math.min(
                            contributedBytes - offset,
                            context.maxLengthBytes() - GroupProtocol.HEADER_BYTES);
            final int length = GroupProtocol.HEADER_BYTES + piece;
            final int slot = context.claim(node, GroupProtocol.CONTEXT, length);
            if (slot < 0) {
                if (slot != PmStatus.NO_BUFFERS) {
                    end(slot);
                }
                return;
            }
            final long address = context.sendAddress(slot);
            GroupProtocol.header(address, id, instance, operation, PmStatus.OK);
            Memory.putByte(address + GroupProtocol.KIND, kind);
            Memory.putByte(address + GroupProtocol.TYPE, type);
            Memory.putByte(address + GroupProtocol.FUNCTION, function);
            Memory.putInt(address + GroupProtocol.COUNT, count);
            Memory.putInt(address + GroupProtocol.ROOT, root);
            Memory.putInt(address + GroupProtocol.TOTAL_BYTES, contributedBytes);
            Memory.putInt(address + GroupProtocol.PIECE_OFFSET, offset);
            if (segment != null) {
                MemorySegment.copy(
                        segment, offset, Memory.ALL, address + GroupProtocol.HEADER_BYTES, piece);
            } else if (piece > 0) {
                context.sendBuffer(slot)
                        .putBytes(GroupProtocol.HEADER_BYTES, buffer, bufferOffset + offset, piece);
            }
            context.send(slot, length, GroupProtocol.CONTRIBUTE);
            sentBytes = offset + piece;
        }
    }

    private void end(final int reason) {
        isUnderWay = false;
        buffer = null;
        segment = null;
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
            if (sentBytes < contributedBytes) {
                contribute();
            }
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
                    sentBytes < contributedBytes ? context.awaitAny(leftNs) : context.await(leftNs);
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

    // ---- Messages of the node ----

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
        final int number = Memory.getInt(address + GroupProtocol.OPERATION);
        if (message.tag() == GroupProtocol.JOINED) {
            status = Memory.getInt(address + GroupProtocol.STATUS);
            instance = Memory.getInt(address + GroupProtocol.INSTANCE);
        } else if (message.tag() == GroupProtocol.RESULT && isUnderWay && number == operation) {
            onResult(address);
        }
    }

    private void onResult(final long address) {
        final int failed = Memory.getInt(address + GroupProtocol.STATUS);
        final int total = Memory.getInt(address + GroupProtocol.TOTAL_BYTES);
        final int offset = Memory.getInt(address + GroupProtocol.PIECE_OFFSET);
        final int piece = message.lengthBytes() - GroupProtocol.HEADER_BYTES;
        if (failed != PmStatus.OK) {
            end(failed);
            return;
        }
        if (offset != receivedBytes
                || piece > total - offset
                || total > MAX_BYTES
                || (piece > 0 && buffer == null && segment == null)) {
            end(PmStatus.DISAGREEMENT);
            return;
        }
        if (segment != null) {
            MemorySegment.copy(
                    Memory.ALL, address + GroupProtocol.HEADER_BYTES, segment, offset, piece);
        } else if (piece > 0) {
            buffer.putBytes(
                    bufferOffset + offset, message.buffer(), GroupProtocol.HEADER_BYTES, piece);
        }
        receivedBytes += piece;
        if (receivedBytes == total) {
            end(PmStatus.OK);
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
