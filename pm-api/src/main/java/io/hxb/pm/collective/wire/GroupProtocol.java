package io.hxb.pm.collective.wire;

import io.hxb.linux.Memory;

/**
 * How programs have nodes carry out collective operations, and how nodes do so: messages to, from
 * and between the nodes' own contexts (0). Stateless.
 *
 * <pre>
 * tag         from      to       meaning
 * JOIN        member    node     that it is a member; a part of the list of nodes, as drawn below
 * JOINED      node      member   that all nodes it depends on are ready, or why not (status)
 * CONTRIBUTE  member    node     its part of an operation, in pieces
 * RESULT      node      member   the result of an operation, in pieces, or why there is none
 * LEAVE       member    node     that it takes part in no further operation
 * READY       node      node     that all its members have joined
 * PART        node      node     what it has of an operation up to this step, in pieces
 * ENDED       node      node     the first operation that will not be carried out, and why
 * ASK         node      node     nothing; who does not know the group answers with ENDED
 *
 * offset  bytes  all but JOIN and READY
 *      0      8  id of the group
 *      8      4  instance: the receiving node's number of its group, in JOINED that of the sender
 *     12      4  number of the operation, from 1; in JOINED the rank
 *     16      1  kind
 *     17      1  type of the elements
 *     18      1  function
 *     19      1  step, from 0; of PART
 *     20      4  elements
 *     24      4  rank of the root of a broadcast, otherwise 0
 *     28      4  status
 *     32      4  bytes of the whole data, of which this is a piece
 *     36      4  offset of the piece
 *     40         the piece
 *
 * offset  bytes  JOIN                          READY
 *      0      8  id of the group               id of the group
 *      8      4  rank                          instance at the receiver, 0 if not known
 *     12      4  members in all                instance at the sender
 *     16      4  nodes in all                  1 if an answer is wanted
 *     20      4  index of the first node here  tenant of the members
 *     24      4  nodes here                    hash of the list (8 bytes)
 *     28      4  0
 *     32         for each node, in ascending order: its id (4), members there (4)
 * </pre>
 */
public final class GroupProtocol {
    /** Context of every node that carries out operations. */
    public static final int CONTEXT = 0;

    /** A member joins. */
    public static final int JOIN = 0x4858_0021;

    /** The answer to a {@link #JOIN}. */
    public static final int JOINED = 0x4858_0022;

    /** A member's part of an operation. */
    public static final int CONTRIBUTE = 0x4858_0023;

    /** The result for a member. */
    public static final int RESULT = 0x4858_0024;

    /** A member leaves. */
    public static final int LEAVE = 0x4858_0025;

    /** A node has all its members. */
    public static final int READY = 0x4858_0026;

    /** A node's part of an operation. */
    public static final int PART = 0x4858_0027;

    /** A group has ended. */
    public static final int ENDED = 0x4858_0028;

    /** Asks whether a group is there. */
    public static final int ASK = 0x4858_0029;

    /** Operation: nobody goes on before all have come. */
    public static final int BARRIER = 1;

    /** Operation: all get the root's data. */
    public static final int BROADCAST = 2;

    /** Operation: all get the combination of everybody's data. */
    public static final int ALLREDUCE = 3;

    /** Elements: bytes; of broadcasts alone. */
    public static final int BYTE = 1;

    /** Elements: signed numbers of 32 bits. */
    public static final int INT32 = 2;

    /** Elements: signed numbers of 64 bits. */
    public static final int INT64 = 3;

    /** Elements: floating-point numbers of 64 bits. */
    public static final int DOUBLE = 4;

    /** Function: none, of all that is no {@link #ALLREDUCE}. */
    public static final int NO_FUNCTION = 0;

    /** Function: the sum; integers wrap. */
    public static final int SUM = 1;

    /** Function: the smallest. */
    public static final int MIN = 2;

    /** Function: the largest. */
    public static final int MAX = 3;

    /** Longest data of an operation. */
    public static final int MAX_BYTES = 4096;

    /** Most members of a group. */
    public static final int MAX_MEMBERS = 65_536;

    /** Most nodes that have members of a group. */
    public static final int MAX_NODES = 4096;

    /** Bytes in front of data, or of the nodes of a {@link #JOIN} less 8. */
    public static final int HEADER_BYTES = 40;

    /** Bytes in front of the nodes of a {@link #JOIN}. */
    public static final int JOIN_HEADER_BYTES = 32;

    /** Bytes of each node of a {@link #JOIN}. */
    public static final int JOIN_NODE_BYTES = 8;

    /** Bytes of a {@link #READY}. */
    public static final int READY_BYTES = 32;

    /** Where the id is. */
    public static final int ID = 0;

    /** Where the instance is. */
    public static final int INSTANCE = 8;

    /** Where the number of the operation is. */
    public static final int OPERATION = 12;

    /** Where the kind is. */
    public static final int KIND = 16;

    /** Where the type is. */
    public static final int TYPE = 17;

    /** Where the function is. */
    public static final int FUNCTION = 18;

    /** Where the step is. */
    public static final int STEP = 19;

    /** Where the number of elements is. */
    public static final int COUNT = 20;

    /** Where the root's rank is. */
    public static final int ROOT = 24;

    /** Where the status is. */
    public static final int STATUS = 28;

    /** Where the length of the whole data is. */
    public static final int TOTAL_BYTES = 32;

    /** Where the offset of the piece is. */
    public static final int PIECE_OFFSET = 36;

    /** Of a {@link #JOIN}: where the member's rank is. */
    public static final int JOIN_RANK = 8;

    /** Of a {@link #JOIN}: where the number of members is. */
    public static final int JOIN_MEMBERS = 12;

    /** Of a {@link #JOIN}: where the number of nodes is. */
    public static final int JOIN_NODES = 16;

    /** Of a {@link #JOIN}: where the index of its first node is. */
    public static final int JOIN_FIRST = 20;

    /** Of a {@link #JOIN}: where the number of nodes in it is. */
    public static final int JOIN_HERE = 24;

    /** Of a {@link #READY}: where the sender's instance is. */
    public static final int READY_INSTANCE = 12;

    /** Of a {@link #READY}: where the flag for a wanted answer is. */
    public static final int READY_ASKS = 16;

    /** Of a {@link #READY}: where the tenant is. */
    public static final int READY_TENANT = 20;

    /** Of a {@link #READY}: where the hash of the list is. */
    public static final int READY_HASH = 24;

    private GroupProtocol() {}

    /**
     * Bytes of an element.
     *
     * @return 0 for a type that there is not.
     */
    public static int elementBytes(final int type) {
        return switch (type) {
            case BYTE -> 1;
            case INT32 -> Integer.BYTES;
            case INT64, DOUBLE -> Long.BYTES;
            default -> 0;
        };
    }

    /** Writes what is not about an operation; the rest of the header is 0. */
    public static void header(
            final long address,
            final long id,
            final int instance,
            final int operation,
            final int status) {
        Memory.putLong(address + ID, id);
        Memory.putInt(address + INSTANCE, instance);
        Memory.putInt(address + OPERATION, operation);
        Memory.putLong(address + KIND, 0);
        Memory.putInt(address + ROOT, 0);
        Memory.putInt(address + STATUS, status);
        Memory.putLong(address + TOTAL_BYTES, 0);
    }

    /**
     * Writes what a piece of an operation's data is part of.
     *
     * @param address first byte of the message.
     * @param kind of the operation.
     * @param type of the elements.
     * @param function that combines them.
     * @param count of the elements.
     * @param root rank of the root of a broadcast, otherwise 0.
     * @param totalBytes of the whole data.
     * @param offset of the piece.
     */
    public static void putOperation(
            final long address,
            final int kind,
            final int type,
            final int function,
            final int count,
            final int root,
            final int totalBytes,
            final int offset) {
        Memory.putByte(address + KIND, kind);
        Memory.putByte(address + TYPE, type);
        Memory.putByte(address + FUNCTION, function);
        Memory.putInt(address + COUNT, count);
        Memory.putInt(address + ROOT, root);
        Memory.putInt(address + TOTAL_BYTES, totalBytes);
        Memory.putInt(address + PIECE_OFFSET, offset);
    }
}
