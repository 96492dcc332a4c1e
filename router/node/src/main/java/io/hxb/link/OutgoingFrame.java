package io.hxb.link;

import io.hxb.linux.Memory;

/**
 * A frame that is handed to a link: where its pieces lie, and to whom its memory returns. It is
 * filled for each frame and read within the call that it is passed to, which keeps what it needs of
 * it. Each loop has one, which it owns.
 *
 * <pre>
 * header and what of the body follows it | payload, gathered from elsewhere | trailer
 * </pre>
 *
 * The trailer of a sealed frame lies after the bytes of the header, and is sent last.
 */
public final class OutgoingFrame {
    private long headerAddress;
    private int headerLengthBytes;
    private long payloadAddress;
    private int payloadLengthBytes;
    private int trailerLengthBytes;
    private int rangeNumber;
    private int rangeOffset;
    private int rangeBytes;
    private FrameOwner owner;
    private long token;

    /**
     * Begins with a frame in one piece.
     *
     * @param address first byte of the HXB header, 8-byte aligned, with {@link Link#HEADROOM_BYTES}
     *     writable bytes before it.
     * @param lengthBytes bytes from there, 64 or more.
     * @param itsOwner who gets the memory back.
     * @param itsToken passed to the owner.
     */
    public OutgoingFrame wrap(
            final long address,
            final int lengthBytes,
            final FrameOwner itsOwner,
            final long itsToken) {
        headerAddress = address;
        headerLengthBytes = lengthBytes;
        payloadAddress = 0;
        payloadLengthBytes = 0;
        trailerLengthBytes = 0;
        rangeBytes = 0;
        owner = itsOwner;
        token = itsToken;
        return this;
    }

    /**
     * Adds the rest of the body.
     *
     * @param address any value when {@code lengthBytes} is 0.
     * @param lengthBytes 0 or more.
     */
    public OutgoingFrame payload(final long address, final int lengthBytes) {
        payloadAddress = address;
        payloadLengthBytes = lengthBytes;
        return this;
    }

    /** Sets the bytes of the trailer that the header's bytes do not include; 0 for none. */
    public OutgoingFrame trailer(final int lengthBytes) {
        trailerLengthBytes = lengthBytes;
        return this;
    }

    /**
     * Sends only a range of the frame, as fragments, since the rest has arrived.
     *
     * @param number under which the frame was cut before.
     * @param offset in the frame, a multiple of {@value io.hxb.frame.FragmentFlyweight#UNIT_BYTES}.
     * @param lengthBytes of the range, which lies within the frame; 0 for all of the frame.
     */
    public OutgoingFrame range(final int number, final int offset, final int lengthBytes) {
        rangeNumber = number;
        rangeOffset = offset;
        rangeBytes = lengthBytes;
        return this;
    }

    /** Number of the frame, if only a range of it is sent. */
    public int rangeNumber() {
        return rangeNumber;
    }

    /** Offset of the range. */
    public int rangeOffset() {
        return rangeOffset;
    }

    /** Bytes of the range; 0 if all of the frame is sent. */
    public int rangeLengthBytes() {
        return rangeBytes;
    }

    /** Takes what another frame has. */
    public OutgoingFrame set(final OutgoingFrame other) {
        return wrap(other.headerAddress, other.headerLengthBytes, other.owner, other.token)
                .payload(other.payloadAddress, other.payloadLengthBytes)
                .trailer(other.trailerLengthBytes)
                .range(other.rangeNumber, other.rangeOffset, other.rangeBytes);
    }

    /** First byte of the HXB header. */
    public long headerAddress() {
        return headerAddress;
    }

    /** Bytes of the header and what of the body follows it. */
    public int headerLengthBytes() {
        return headerLengthBytes;
    }

    /** First byte of the rest of the body. */
    public long payloadAddress() {
        return payloadAddress;
    }

    /** Bytes of the rest of the body. */
    public int payloadLengthBytes() {
        return payloadLengthBytes;
    }

    /** First byte of the trailer. */
    public long trailerAddress() {
        return headerAddress + headerLengthBytes;
    }

    /** Bytes of the trailer, 0 for none. */
    public int trailerLengthBytes() {
        return trailerLengthBytes;
    }

    /** Bytes of HXB header and body on the wire. */
    public int lengthBytes() {
        return headerLengthBytes + payloadLengthBytes + trailerLengthBytes;
    }

    /** Who gets the memory back. */
    public FrameOwner owner() {
        return owner;
    }

    /** The owner's name for the memory. */
    public long token() {
        return token;
    }

    /** Gives the memory back, since the frame is sent, or a copy of it is. */
    public void release() {
        owner.release(token);
    }

    /**
     * Copies all pieces in the order of the wire.
     *
     * @param address where {@link #lengthBytes} bytes are free.
     */
    public void copyTo(final long address) {
        Memory.copy(headerAddress, address, headerLengthBytes);
        long end = address + headerLengthBytes;
        if (payloadLengthBytes > 0) {
            Memory.copy(payloadAddress, end, payloadLengthBytes);
            end += payloadLengthBytes;
        }
        if (trailerLengthBytes > 0) {
            Memory.copy(trailerAddress(), end, trailerLengthBytes);
        }
    }
}
