package io.hxb.crypto;

import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Takes a message piece by piece and computes its code. Owned by one thread; allocates nothing
 * after construction.
 *
 * <p>The JDK's AES reads the heap, so the message is copied there, a chunk at a time.
 */
public final class MacInput {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int CHUNK_BYTES = 1024;

    private final byte[] input = new byte[CHUNK_BYTES + Cmac.BLOCK];
    private final byte[] output = new byte[CHUNK_BYTES + Cmac.BLOCK];
    private Cmac key;
    private int length;
    private int tagOffset;

    /** Makes one for the calling thread. */
    public MacInput() {}

    /** Begins a message under that key. */
    public MacInput begin(final Cmac cmac) {
        key = cmac;
        length = 0;
        return this;
    }

    /** Adds 8 bytes, lowest first. */
    public MacInput putLong(final long value) {
        if (length > CHUNK_BYTES - Long.BYTES) {
            drain();
        }
        LONGS.set(input, length, value);
        length += Long.BYTES;
        return this;
    }

    /** Adds bytes of native memory. */
    public MacInput putBytes(final long address, final int lengthBytes) {
        int done = 0;
        while (done < lengthBytes) {
            if (length == CHUNK_BYTES) {
                drain();
            }
            final int piece = Math.min(CHUNK_BYTES - length, lengthBytes - done);
            MemorySegment.copy(
                    Memory.ALL, ValueLayout.JAVA_BYTE, address + done, input, length, piece);
            length += piece;
            done += piece;
        }
        return this;
    }

    // Never the last block: that is mixed with the subkey.
    private void drain() {
        final int whole = (length - 1) & -Cmac.BLOCK;
        key.update(input, whole, output);
        System.arraycopy(input, whole, input, 0, length - whole);
        length -= whole;
    }

    /** Ends the message and computes its code. */
    public MacInput finish() {
        tagOffset = key.finish(input, length, output);
        return this;
    }

    /** The first 8 bytes of the code, lowest first. */
    public long tagLow() {
        return (long) LONGS.get(output, tagOffset);
    }

    /** The last 8 bytes of the code, lowest first. */
    public long tagHigh() {
        return (long) LONGS.get(output, tagOffset + Long.BYTES);
    }

    /** True if the code is the 16 bytes at that address; in time that does not depend on them. */
    public boolean isTag(final long address) {
        return ((Memory.getLong(address) ^ tagLow())
                        | (Memory.getLong(address + Long.BYTES) ^ tagHigh()))
                == 0;
    }

    /** Writes the code's 16 bytes. */
    public void writeTag(final long address) {
        Memory.putLong(address, tagLow());
        Memory.putLong(address + Long.BYTES, tagHigh());
    }
}
