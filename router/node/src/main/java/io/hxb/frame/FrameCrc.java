package io.hxb.frame;

import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/**
 * Computes the CRC-32C of frames without allocating. Owned by one thread.
 *
 * <p>It covers header and body except for hop limit and route, which relays change, and the CRC
 * itself; these count as 0. The bytes are copied to the heap piece by piece, where the JVM's CRC
 * instruction reaches them, which is several times as fast as a table over native memory. Source:
 * RFC 3720 appendix B.4 for the polynomial.
 */
public final class FrameCrc {
    private static final int CHUNK_BYTES = 4096;

    private final CRC32C crc = new CRC32C();
    private final byte[] chunk = new byte[CHUNK_BYTES];

    /** Makes one for the calling thread. */
    public FrameCrc() {}

    /**
     * The CRC of a frame whose body lies in two places.
     *
     * @param headerAddress first byte of the header.
     * @param headerLengthBytes the header and the part of the body that follows it, 64 or more.
     * @param payloadAddress the rest of the body.
     * @param payloadLengthBytes 0 or more.
     */
    public int compute(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        crc.reset();
        load(headerAddress, FrameHeaderFlyweight.LENGTH);
        chunk[FrameHeaderFlyweight.HOP_LIMIT_OFFSET] = 0;
        clear(FrameHeaderFlyweight.ORDER_OFFSET);
        chunk[FrameHeaderFlyweight.DETOUR_OFFSET] = 0;
        chunk[FrameHeaderFlyweight.DETOUR_OFFSET + 1] = 0;
        clear(FrameHeaderFlyweight.CRC_OFFSET);
        crc.update(chunk, 0, FrameHeaderFlyweight.LENGTH);
        update(
                headerAddress + FrameHeaderFlyweight.LENGTH,
                headerLengthBytes - FrameHeaderFlyweight.LENGTH);
        update(payloadAddress, payloadLengthBytes);
        return (int) crc.getValue();
    }

    /**
     * True if the CRC in the header is valid.
     *
     * @param headerAddress a frame in one piece whose body length has been checked.
     */
    public boolean isValid(final long headerAddress) {
        final int bodyLength = FrameHeaderFlyweight.bodyLength(headerAddress);
        return compute(headerAddress, FrameHeaderFlyweight.LENGTH + bodyLength, 0, 0)
                == Memory.getInt(headerAddress + FrameHeaderFlyweight.CRC_OFFSET);
    }

    private void update(final long address, final int lengthBytes) {
        for (int done = 0; done < lengthBytes; done += CHUNK_BYTES) {
            final int length = Math.min(CHUNK_BYTES, lengthBytes - done);
            load(address + done, length);
            crc.update(chunk, 0, length);
        }
    }

    private void load(final long address, final int lengthBytes) {
        MemorySegment.copy(Memory.ALL, ValueLayout.JAVA_BYTE, address, chunk, 0, lengthBytes);
    }

    private void clear(final int offset) {
        for (int i = 0; i < Integer.BYTES; i++) {
            chunk[offset + i] = 0;
        }
    }
}
