package io.hxb.pm;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.linux.Memory;

import org.agrona.AsciiEncoding;
import org.agrona.AsciiNumberFormatException;
import org.agrona.AsciiSequenceView;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Agrona's view of native memory without Agrona's own access to it, which needs {@code --add-opens
 * java.base/jdk.internal.misc=ALL-UNNAMED} of every program. Behaves as {@code UnsafeBuffer} does,
 * bounds checks and their switch included, but views no arrays. Numbers in ASCII are written by way
 * of a string; otherwise only methods that return a string allocate. Owned by one thread.
 */
final class MappedBuffer implements MutableDirectBuffer {
    private static final String NULL_TEXT = "null";

    private long address;
    private int capacity;

    /** Makes a view of {@code lengthBytes} bytes from {@code address}. */
    public MappedBuffer(final long address, final int lengthBytes) {
        this.address = address;
        capacity = lengthBytes;
    }

    @Override
    public void wrap(final long newAddress, final int length) {
        address = newAddress;
        capacity = length;
    }

    @Override
    public void wrap(final byte[] buffer) {
        throw noArrays();
    }

    @Override
    public void wrap(final byte[] buffer, final int offset, final int length) {
        throw noArrays();
    }

    @Override
    public void wrap(final ByteBuffer buffer) {
        wrap(buffer, 0, buffer.capacity());
    }

    @Override
    public void wrap(final ByteBuffer buffer, final int offset, final int length) {
        if (!buffer.isDirect()) {
            throw noArrays();
        }
        wrap(MemorySegment.ofBuffer(slice(buffer, offset, length)).address(), length);
    }

    @Override
    public void wrap(final DirectBuffer buffer) {
        wrap(buffer, 0, buffer.capacity());
    }

    @Override
    public void wrap(final DirectBuffer buffer, final int offset, final int length) {
        if (buffer.byteArray() != null) {
            throw noArrays();
        }
        buffer.boundsCheck(offset, length);
        wrap(buffer.addressOffset() + offset, length);
    }

    private static UnsupportedOperationException noArrays() {
        return new UnsupportedOperationException("a view of native memory views no arrays");
    }

    @Override
    public long addressOffset() {
        return address;
    }

    @Override
    public byte[] byteArray() {
        return null;
    }

    @Override
    public ByteBuffer byteBuffer() {
        return null;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public int wrapAdjustment() {
        return 0;
    }

    @Override
    public boolean isExpandable() {
        return false;
    }

    @Override
    public void checkLimit(final int limit) {
        if (limit > capacity) {
            throw new IndexOutOfBoundsException(
                    "limit=" + limit + " is beyond capacity=" + capacity);
        }
    }

    @Override
    public void boundsCheck(final int index, final int length) {
        Objects.checkFromIndexSize(index, length, capacity);
    }

    private long at(final int index, final int length) {
        if (SHOULD_BOUNDS_CHECK) {
            Objects.checkFromIndexSize(index, length, capacity);
        }
        return address + index;
    }

    @Override
    public byte getByte(final int index) {
        return Memory.getByte(at(index, Byte.BYTES));
    }

    @Override
    public short getShort(final int index) {
        return (short) Memory.getUnsignedShort(at(index, Short.BYTES));
    }

    @Override
    public short getShort(final int index, final ByteOrder byteOrder) {
        final short bits = getShort(index);
        return isLittle(byteOrder) ? bits : Short.reverseBytes(bits);
    }

    @Override
    public char getChar(final int index) {
        return (char) getShort(index);
    }

    @Override
    public char getChar(final int index, final ByteOrder byteOrder) {
        return (char) getShort(index, byteOrder);
    }

    @Override
    public int getInt(final int index) {
        return Memory.getInt(at(index, Integer.BYTES));
    }

    @Override
    public int getInt(final int index, final ByteOrder byteOrder) {
        final int bits = getInt(index);
        return isLittle(byteOrder) ? bits : Integer.reverseBytes(bits);
    }

    @Override
    public long getLong(final int index) {
        return Memory.getLong(at(index, Long.BYTES));
    }

    @Override
    public long getLong(final int index, final ByteOrder byteOrder) {
        final long bits = getLong(index);
        return isLittle(byteOrder) ? bits : Long.reverseBytes(bits);
    }

    @Override
    public float getFloat(final int index) {
        return Float.intBitsToFloat(getInt(index));
    }

    @Override
    public float getFloat(final int index, final ByteOrder byteOrder) {
        return Float.intBitsToFloat(getInt(index, byteOrder));
    }

    @Override
    public double getDouble(final int index) {
        return Double.longBitsToDouble(getLong(index));
    }

    @Override
    public double getDouble(final int index, final ByteOrder byteOrder) {
        return Double.longBitsToDouble(getLong(index, byteOrder));
    }

    @Override
    public void putByte(final int index, final byte value) {
        Memory.putByte(at(index, Byte.BYTES), value);
    }

    @Override
    public void putShort(final int index, final short value) {
        Memory.putShort(at(index, Short.BYTES), value);
    }

    @Override
    public void putShort(final int index, final short value, final ByteOrder byteOrder) {
        putShort(index, isLittle(byteOrder) ? value : Short.reverseBytes(value));
    }

    @Override
    public void putChar(final int index, final char value) {
        putShort(index, (short) value);
    }

    @Override
    public void putChar(final int index, final char value, final ByteOrder byteOrder) {
        putShort(index, (short) value, byteOrder);
    }

    @Override
    public void putInt(final int index, final int value) {
        Memory.putInt(at(index, Integer.BYTES), value);
    }

    @Override
    public void putInt(final int index, final int value, final ByteOrder byteOrder) {
        putInt(index, isLittle(byteOrder) ? value : Integer.reverseBytes(value));
    }

    @Override
    public void putLong(final int index, final long value) {
        Memory.putLong(at(index, Long.BYTES), value);
    }

    @Override
    public void putLong(final int index, final long value, final ByteOrder byteOrder) {
        putLong(index, isLittle(byteOrder) ? value : Long.reverseBytes(value));
    }

    @Override
    public void putFloat(final int index, final float value) {
        putInt(index, Float.floatToRawIntBits(value));
    }

    @Override
    public void putFloat(final int index, final float value, final ByteOrder byteOrder) {
        putInt(index, Float.floatToRawIntBits(value), byteOrder);
    }

    @Override
    public void putDouble(final int index, final double value) {
        putLong(index, Double.doubleToRawLongBits(value));
    }

    @Override
    public void putDouble(final int index, final double value, final ByteOrder byteOrder) {
        putLong(index, Double.doubleToRawLongBits(value), byteOrder);
    }

    private static boolean isLittle(final ByteOrder byteOrder) {
        return byteOrder == ByteOrder.LITTLE_ENDIAN;
    }

    @Override
    public void setMemory(final int index, final int length, final byte value) {
        Memory.fill(at(index, length), length, value);
    }

    @Override
    public void getBytes(final int index, final byte[] dst) {
        getBytes(index, dst, 0, dst.length);
    }

    @Override
    public void getBytes(final int index, final byte[] dst, final int offset, final int length) {
        MemorySegment.copy(
                Memory.ALL, ValueLayout.JAVA_BYTE, at(index, length), dst, offset, length);
    }

    @Override
    public void getBytes(
            final int index,
            final MutableDirectBuffer dstBuffer,
            final int dstIndex,
            final int length) {
        dstBuffer.putBytes(dstIndex, this, index, length);
    }

    @Override
    public void getBytes(final int index, final ByteBuffer dstBuffer, final int length) {
        final int position = dstBuffer.position();
        getBytes(index, dstBuffer, position, length);
        dstBuffer.position(position + length);
    }

    @Override
    public void getBytes(
            final int index, final ByteBuffer dstBuffer, final int dstOffset, final int length) {
        MemorySegment.copy(
                Memory.ALL,
                at(index, length),
                MemorySegment.ofBuffer(slice(dstBuffer, dstOffset, length)),
                0,
                length);
    }

    @Override
    public void putBytes(final int index, final byte[] src) {
        putBytes(index, src, 0, src.length);
    }

    @Override
    public void putBytes(final int index, final byte[] src, final int offset, final int length) {
        MemorySegment.copy(
                src, offset, Memory.ALL, ValueLayout.JAVA_BYTE, at(index, length), length);
    }

    @Override
    public void putBytes(final int index, final ByteBuffer srcBuffer, final int length) {
        final int position = srcBuffer.position();
        putBytes(index, srcBuffer, position, length);
        srcBuffer.position(position + length);
    }

    @Override
    public void putBytes(
            final int index, final ByteBuffer srcBuffer, final int srcIndex, final int length) {
        MemorySegment.copy(
                MemorySegment.ofBuffer(slice(srcBuffer, srcIndex, length)),
                0,
                Memory.ALL,
                at(index, length),
                length);
    }

    @Override
    public void putBytes(
            final int index, final DirectBuffer srcBuffer, final int srcIndex, final int length) {
        srcBuffer.boundsCheck(srcIndex, length);
        final byte[] array = srcBuffer.byteArray();
        if (array == null) {
            Memory.copy(srcBuffer.addressOffset() + srcIndex, at(index, length), length);
        } else {
            putBytes(index, array, srcBuffer.wrapAdjustment() + srcIndex, length);
        }
    }

    private static ByteBuffer slice(final ByteBuffer buffer, final int index, final int length) {
        return buffer.duplicate().clear().slice(index, length);
    }

    @Override
    public int parseNaturalIntAscii(final int index, final int length) {
        checkNatural(index, length);
        return parseIntAscii(index, length);
    }

    @Override
    public long parseNaturalLongAscii(final int index, final int length) {
        checkNatural(index, length);
        return parseLongAscii(index, length);
    }

    @Override
    public int parseIntAscii(final int index, final int length) {
        boundsCheck(index, length);
        return AsciiEncoding.parseIntAscii(new AsciiSequenceView(this, index, length), 0, length);
    }

    @Override
    public long parseLongAscii(final int index, final int length) {
        boundsCheck(index, length);
        return AsciiEncoding.parseLongAscii(new AsciiSequenceView(this, index, length), 0, length);
    }

    private void checkNatural(final int index, final int length) {
        boundsCheck(index, length);
        if (length > 0 && getByte(index) == '-') {
            throw new AsciiNumberFormatException("a natural number has no sign, at " + index);
        }
    }

    @Override
    public int putIntAscii(final int index, final int value) {
        return putStringWithoutLengthAscii(index, Integer.toString(value));
    }

    @Override
    public int putNaturalIntAscii(final int index, final int value) {
        return putIntAscii(index, value);
    }

    @Override
    public int putLongAscii(final int index, final long value) {
        return putStringWithoutLengthAscii(index, Long.toString(value));
    }

    @Override
    public int putNaturalLongAscii(final int index, final long value) {
        return putLongAscii(index, value);
    }

    @Override
    public void putNaturalPaddedIntAscii(final int offset, final int length, final int value) {
        boundsCheck(offset, length);
        if (value == 0 && length == 0) {
            return; // As in Agrona's buffers, counts the digits that are left when there is no more
            // room.
        }
        final String digits = Integer.toString(value);
        final int zeros = length - digits.length();
        if (zeros < 0) {
            throw new NumberFormatException("Cannot write " + value + " in " + length + " bytes");
        }
        setMemory(offset, zeros, (byte) '0');
        putStringWithoutLengthAscii(offset + zeros, digits);
    }

    @Override
    public int putNaturalIntAsciiFromEnd(final int value, final int endExclusive) {
        final String digits = Integer.toString(value);
        final int start = endExclusive - digits.length();
        putStringWithoutLengthAscii(start, digits);
        return start;
    }

    @Override
    public String getStringAscii(final int index) {
        return getStringAscii(index, getInt(index));
    }

    @Override
    public String getStringAscii(final int index, final ByteOrder byteOrder) {
        return getStringAscii(index, getInt(index, byteOrder));
    }

    @Override
    public String getStringAscii(final int index, final int length) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, length);
    }

    @Override
    public int getStringAscii(final int index, final Appendable appendable) {
        return getStringAscii(index, getInt(index), appendable);
    }

    @Override
    public int getStringAscii(
            final int index, final Appendable appendable, final ByteOrder byteOrder) {
        return getStringAscii(index, getInt(index, byteOrder), appendable);
    }

    @Override
    public int getStringAscii(final int index, final int length, final Appendable appendable) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, length, appendable);
    }

    @Override
    public String getStringWithoutLengthAscii(final int index, final int length) {
        return new String(bytes(index, length), US_ASCII);
    }

    @Override
    public int getStringWithoutLengthAscii(
            final int index, final int length, final Appendable appendable) {
        final long first = at(index, length);
        try {
            for (int i = 0; i < length; i++) {
                final byte character = Memory.getByte(first + i);
                appendable.append(character < 0 ? '?' : (char) character);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return length;
    }

    @Override
    public int putStringAscii(final int index, final String value) {
        return putStringAscii(index, (CharSequence) value);
    }

    @Override
    public int putStringAscii(final int index, final CharSequence value) {
        return putStringAscii(index, value, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public int putStringAscii(final int index, final String value, final ByteOrder byteOrder) {
        return putStringAscii(index, (CharSequence) value, byteOrder);
    }

    @Override
    public int putStringAscii(
            final int index, final CharSequence value, final ByteOrder byteOrder) {
        final int length = value == null ? 0 : value.length();
        final long ignored = at(index, STR_HEADER_LEN + length);
        putInt(index, length, byteOrder);
        return STR_HEADER_LEN + putStringWithoutLengthAscii(index + STR_HEADER_LEN, value);
    }

    @Override
    public int putStringWithoutLengthAscii(final int index, final String value) {
        return putStringWithoutLengthAscii(index, (CharSequence) value);
    }

    @Override
    public int putStringWithoutLengthAscii(final int index, final CharSequence value) {
        return value == null ? 0 : putStringWithoutLengthAscii(index, value, 0, value.length());
    }

    @Override
    public int putStringWithoutLengthAscii(
            final int index, final String value, final int valueOffset, final int length) {
        return putStringWithoutLengthAscii(index, (CharSequence) value, valueOffset, length);
    }

    @Override
    public int putStringWithoutLengthAscii(
            final int index, final CharSequence value, final int valueOffset, final int length) {
        if (value == null) {
            return 0;
        }
        final int count = Math.min(value.length() - valueOffset, length);
        final long first = at(index, count);
        for (int i = 0; i < count; i++) {
            final char character = value.charAt(valueOffset + i);
            Memory.putByte(first + i, character > 127 ? '?' : character);
        }
        return count;
    }

    @Override
    public String getStringUtf8(final int index) {
        return getStringUtf8(index, getInt(index));
    }

    @Override
    public String getStringUtf8(final int index, final ByteOrder byteOrder) {
        return getStringUtf8(index, getInt(index, byteOrder));
    }

    @Override
    public String getStringUtf8(final int index, final int length) {
        return getStringWithoutLengthUtf8(index + STR_HEADER_LEN, length);
    }

    @Override
    public String getStringWithoutLengthUtf8(final int index, final int length) {
        return new String(bytes(index, length), UTF_8);
    }

    // Checked before the array is made, so that a length from outside cannot make a huge one.
    private byte[] bytes(final int index, final int length) {
        boundsCheck(index, length);
        final byte[] bytes = new byte[length];
        getBytes(index, bytes);
        return bytes;
    }

    @Override
    public int putStringUtf8(final int index, final String value) {
        return putStringUtf8(index, value, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public int putStringUtf8(final int index, final String value, final ByteOrder byteOrder) {
        return putStringUtf8(index, value, byteOrder, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(final int index, final String value, final int maxEncodedLength) {
        return putStringUtf8(index, value, ByteOrder.LITTLE_ENDIAN, maxEncodedLength);
    }

    @Override
    public int putStringUtf8(
            final int index,
            final String value,
            final ByteOrder byteOrder,
            final int maxEncodedLength) {
        final byte[] bytes = utf8(value);
        if (bytes.length > maxEncodedLength) {
            throw new IllegalArgumentException(
                    "Encoded string larger than maximum size: " + maxEncodedLength);
        }
        final long ignored = at(index, STR_HEADER_LEN + bytes.length);
        putInt(index, bytes.length, byteOrder);
        putBytes(index + STR_HEADER_LEN, bytes);
        return STR_HEADER_LEN + bytes.length;
    }

    @Override
    public int putStringWithoutLengthUtf8(final int index, final String value) {
        final byte[] bytes = utf8(value);
        putBytes(index, bytes);
        return bytes.length;
    }

    private static byte[] utf8(final String value) {
        return Objects.requireNonNullElse(value, NULL_TEXT).getBytes(UTF_8);
    }

    private MemorySegment segment() {
        return Memory.ALL.asSlice(address, capacity);
    }

    /** Compares the bytes as unsigned numbers; of two equal beginnings the shorter comes first. */
    @Override
    public int compareTo(final DirectBuffer that) {
        final int common = Math.min(capacity, that.capacity());
        for (int i = 0; i < common; i++) {
            final int difference = Byte.compareUnsigned(getByte(i), that.getByte(i));
            if (difference != 0) {
                return difference;
            }
        }
        return Integer.compare(capacity, that.capacity());
    }

    /** True for another view of this kind with the same bytes. */
    @Override
    public boolean equals(final Object other) {
        return other instanceof MappedBuffer that
                && capacity == that.capacity
                && segment().mismatch(that.segment()) == -1;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < capacity; i++) {
            hash = 31 * hash + getByte(i);
        }
        return hash;
    }

    @Override
    public String toString() {
        return "MappedBuffer{address=" + address + ", capacity=" + capacity + "}";
    }
}
