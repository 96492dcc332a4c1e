package io.hxb.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Native memory by absolute address: how frames, rings and kernel structures are read and written.
 * Stateless; any thread may call it.
 *
 * <p>All multi-byte values are little-endian unless the name contains {@code BigEndian}. The caller
 * owns the memory and has checked the range: an address outside mapped memory ends the process, so
 * every length that comes from outside is checked before it gets here.
 */
public final class Memory {
    /** The whole address space as one segment; absolute addresses are its offsets. */
    @SuppressWarnings("restricted")
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Up to this length a loop costs less than the call of a general routine. */
    private static final int SHORT_COPY_BYTES = 128;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT_BIG =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT_BIG =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle ATOMIC_INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle ATOMIC_LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private Memory() {}

    /** Reads the byte at {@code address}, sign extended. */
    public static byte getByte(final long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    /** Reads the byte at {@code address} as 0 to 255. */
    public static int getUnsignedByte(final long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address) & 0xFF;
    }

    /** Writes the low 8 bits of {@code value} at {@code address}. */
    public static void putByte(final long address, final int value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, (byte) value);
    }

    /** Reads 16 bits at {@code address}, any alignment, as 0 to 65,535. */
    public static int getUnsignedShort(final long address) {
        return ALL.get(SHORT, address) & 0xFFFF;
    }

    /** Writes the low 16 bits of {@code value} at {@code address}, any alignment. */
    public static void putShort(final long address, final int value) {
        ALL.set(SHORT, address, (short) value);
    }

    /** Reads 16 bits in network byte order at {@code address}, any alignment, as 0 to 65,535. */
    public static int getUnsignedShortBigEndian(final long address) {
        return ALL.get(SHORT_BIG, address) & 0xFFFF;
    }

    /** Writes the low 16 bits of {@code value} in network byte order, any alignment. */
    public static void putShortBigEndian(final long address, final int value) {
        ALL.set(SHORT_BIG, address, (short) value);
    }

    /** Reads 32 bits at {@code address}, any alignment. */
    public static int getInt(final long address) {
        return ALL.get(INT, address);
    }

    /** Writes 32 bits at {@code address}, any alignment. */
    public static void putInt(final long address, final int value) {
        ALL.set(INT, address, value);
    }

    /** Reads 32 bits in network byte order at {@code address}, any alignment. */
    public static int getIntBigEndian(final long address) {
        return ALL.get(INT_BIG, address);
    }

    /** Writes 32 bits in network byte order at {@code address}, any alignment. */
    public static void putIntBigEndian(final long address, final int value) {
        ALL.set(INT_BIG, address, value);
    }

    /** Reads 64 bits at {@code address}, any alignment. */
    public static long getLong(final long address) {
        return ALL.get(LONG, address);
    }

    /** Writes 64 bits at {@code address}, any alignment. */
    public static void putLong(final long address, final long value) {
        ALL.set(LONG, address, value);
    }

    /** Reads 32 bits at a 4-byte aligned address; later accesses stay after it. */
    public static int getIntAcquire(final long address) {
        return (int) ATOMIC_INT.getAcquire(ALL, address);
    }

    /** Writes 32 bits at a 4-byte aligned address; earlier accesses stay before it. */
    public static void putIntRelease(final long address, final int value) {
        ATOMIC_INT.setRelease(ALL, address, value);
    }

    /** Reads 32 bits at a 4-byte aligned address, sequentially consistent. */
    public static int getIntVolatile(final long address) {
        return (int) ATOMIC_INT.getVolatile(ALL, address);
    }

    /** Writes 32 bits at a 4-byte aligned address, sequentially consistent. */
    public static void putIntVolatile(final long address, final int value) {
        ATOMIC_INT.setVolatile(ALL, address, value);
    }

    /** Replaces {@code expected} by {@code value} at a 4-byte aligned address; true if it did. */
    public static boolean compareAndSetInt(
            final long address, final int expected, final int value) {
        return ATOMIC_INT.compareAndSet(ALL, address, expected, value);
    }

    /** Replaces 32 bits at a 4-byte aligned address, as volatile; returns what was there. */
    public static int getAndSetInt(final long address, final int value) {
        return (int) ATOMIC_INT.getAndSet(ALL, address, value);
    }

    /** Reads 64 bits at an 8-byte aligned address; later accesses stay after it. */
    public static long getLongAcquire(final long address) {
        return (long) ATOMIC_LONG.getAcquire(ALL, address);
    }

    /** Writes 64 bits at an 8-byte aligned address; earlier accesses stay before it. */
    public static void putLongRelease(final long address, final long value) {
        ATOMIC_LONG.setRelease(ALL, address, value);
    }

    /** Reads 64 bits at an 8-byte aligned address, sequentially consistent. */
    public static long getLongVolatile(final long address) {
        return (long) ATOMIC_LONG.getVolatile(ALL, address);
    }

    /** Writes 64 bits at an 8-byte aligned address, sequentially consistent. */
    public static void putLongVolatile(final long address, final long value) {
        ATOMIC_LONG.setVolatile(ALL, address, value);
    }

    /** Replaces {@code expected} by {@code value} at an 8-byte aligned address; true if it did. */
    public static boolean compareAndSetLong(
            final long address, final long expected, final long value) {
        return ATOMIC_LONG.compareAndSet(ALL, address, expected, value);
    }

    /** Adds {@code delta} at an 8-byte aligned address and returns the value before. */
    public static long getAndAddLong(final long address, final long delta) {
        return (long) ATOMIC_LONG.getAndAdd(ALL, address, delta);
    }

    /** Copies {@code lengthBytes} bytes; the ranges may overlap. */
    public static void copy(final long source, final long destination, final long lengthBytes) {
        MemorySegment.copy(ALL, source, ALL, destination, lengthBytes);
    }

    /** As {@link #copy}, but faster for few bytes; the ranges must not overlap. */
    public static void copyShort(final long source, final long destination, final int lengthBytes) {
        if (lengthBytes > SHORT_COPY_BYTES) {
            copy(source, destination, lengthBytes);
            return;
        }
        int offset = 0;
        for (; offset <= lengthBytes - Long.BYTES; offset += Long.BYTES) {
            putLong(destination + offset, getLong(source + offset));
        }
        for (; offset < lengthBytes; offset++) {
            putByte(destination + offset, getByte(source + offset));
        }
    }

    /** Sets {@code lengthBytes} bytes from {@code address} to {@code value}. */
    public static void fill(final long address, final long lengthBytes, final int value) {
        ALL.asSlice(address, lengthBytes).fill((byte) value);
    }
}
