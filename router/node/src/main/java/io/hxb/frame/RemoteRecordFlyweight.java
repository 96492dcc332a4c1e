package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * A request for an operation on remote memory, a part of one, or an answer to one: the payload of a
 * message between two ends of remote memory. Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      1 kind: those of OperationRing but FENCE, {@link #PING}, {@link #DATA}, {@link #DONE}
 *      1      1 flags: {@link #LAST}
 *      2      2 0
 *      4      4 status of an answer, a PmStatus
 *      8      8 number of the operation, of its initiator's choice
 *     16      8 key of the region; in an answer the value before an atomic operation
 *     24      8 offset in the region; in DATA offset from the begin of what is read
 *     32      8 length: of PUT and DATA of the bytes that follow, of GET of all that is read
 *     40      8 tag of a notification, number to add, or expected value
 *     48      8 new value of a SWAP; of a PUT the length of all of it
 *     56        bytes of PUT and DATA
 * </pre>
 */
public final class RemoteRecordFlyweight {
    /** Bytes before the data. */
    public static final int LENGTH = 56;

    /** Request that is only answered. */
    public static final int PING = 7;

    /** Answer with a part of what is read. */
    public static final int DATA = 16;

    /** Answer without data. */
    public static final int DONE = 17;

    /** Flag of the last part of an operation, or of its last answer. */
    public static final int LAST = 1;

    private static final int FLAGS = 1;
    private static final int STATUS = 4;
    private static final int OPERATION = 8;
    private static final int KEY = 16;
    private static final int OFFSET = 24;
    private static final int DATA_LENGTH = 32;
    private static final int FIRST = 40;
    private static final int SECOND = 48;

    private long address;

    /** Makes a flyweight to be laid over a record. */
    public RemoteRecordFlyweight() {
        // Wrapped before it is used.
    }

    /** Lays the flyweight over the record at {@code recordAddress}. */
    public RemoteRecordFlyweight wrap(final long recordAddress) {
        address = recordAddress;
        return this;
    }

    /** Begins a record of {@code kind} in which all else is 0. */
    public RemoteRecordFlyweight begin(final int kind, final int flags) {
        Memory.putLong(address, kind | flags << Byte.SIZE);
        for (int offset = OPERATION; offset < LENGTH; offset += Long.BYTES) {
            Memory.putLong(address + offset, 0);
        }
        return this;
    }

    /** Kind of request or answer. */
    public int kind() {
        return Memory.getUnsignedByte(address);
    }

    /** True for the last part of an operation, or its last answer. */
    public boolean isLast() {
        return (Memory.getUnsignedByte(address + FLAGS) & LAST) != 0;
    }

    /** Status of an answer. */
    public int status() {
        return Memory.getInt(address + STATUS);
    }

    /** Sets the status of an answer. */
    public RemoteRecordFlyweight status(final int status) {
        Memory.putInt(address + STATUS, status);
        return this;
    }

    /** Number of the operation. */
    public long operation() {
        return Memory.getLong(address + OPERATION);
    }

    /** Sets the number of the operation. */
    public RemoteRecordFlyweight operation(final long operation) {
        Memory.putLong(address + OPERATION, operation);
        return this;
    }

    /** Key of the region, or value before an atomic operation. */
    public long key() {
        return Memory.getLong(address + KEY);
    }

    /** Sets the key of the region, or the value before an atomic operation. */
    public RemoteRecordFlyweight key(final long key) {
        Memory.putLong(address + KEY, key);
        return this;
    }

    /** Offset of the first byte. */
    public long offset() {
        return Memory.getLong(address + OFFSET);
    }

    /** Length in bytes; see the layout. */
    public long lengthBytes() {
        return Memory.getLong(address + DATA_LENGTH);
    }

    /** Sets offset and length. */
    public RemoteRecordFlyweight range(final long offset, final long lengthBytes) {
        Memory.putLong(address + OFFSET, offset);
        Memory.putLong(address + DATA_LENGTH, lengthBytes);
        return this;
    }

    /** Tag, number to add, or expected value. */
    public long first() {
        return Memory.getLong(address + FIRST);
    }

    /** New value, or length of the whole put. */
    public long second() {
        return Memory.getLong(address + SECOND);
    }

    /** Sets the tag or numbers. */
    public RemoteRecordFlyweight operands(final long first, final long second) {
        Memory.putLong(address + FIRST, first);
        Memory.putLong(address + SECOND, second);
        return this;
    }

    /** Address of the data. */
    public long dataAddress() {
        return address + LENGTH;
    }

    /** {@link #kind()} of the record at an address, without an object; as all below. */
    public static int kind(final long record) {
        return Memory.getUnsignedByte(record);
    }

    /** {@link #isLast()} of the record at an address. */
    public static boolean isLast(final long record) {
        return (Memory.getUnsignedByte(record + FLAGS) & LAST) != 0;
    }

    /** {@link #status()} of the record at an address. */
    public static int statusOf(final long record) {
        return Memory.getInt(record + STATUS);
    }

    /** {@link #operation()} of the record at an address. */
    public static long operationOf(final long record) {
        return Memory.getLong(record + OPERATION);
    }

    /** {@link #key()} of the record at an address. */
    public static long keyOf(final long record) {
        return Memory.getLong(record + KEY);
    }

    /** {@link #offset()} of the record at an address. */
    public static long offset(final long record) {
        return Memory.getLong(record + OFFSET);
    }

    /** {@link #lengthBytes()} of the record at an address. */
    public static long lengthBytes(final long record) {
        return Memory.getLong(record + DATA_LENGTH);
    }

    /** {@link #first()} of the record at an address. */
    public static long first(final long record) {
        return Memory.getLong(record + FIRST);
    }

    /** {@link #second()} of the record at an address. */
    public static long second(final long record) {
        return Memory.getLong(record + SECOND);
    }

    /** {@link #dataAddress()} of the record at an address. */
    public static long dataAddress(final long record) {
        return record + LENGTH;
    }
}
