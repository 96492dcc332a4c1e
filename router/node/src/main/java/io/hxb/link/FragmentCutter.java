package io.hxb.link;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;

/**
 * Cuts frames that are longer than a link takes into fragments, without a copy of their bytes: each
 * has a header of its own and up to three slices of the frame's pieces. All but the last of a frame
 * have one length, and none is much shorter, so that they are sent as trains. Owned by one sender.
 *
 * <p>A fragment that is too long for the next link of its path is cut again, and a range of a frame
 * that was cut before can be sent again. Both keep the number of their frame. Numbers of several
 * senders of a node are not coordinated; receivers tell frames apart by the number, the flow's
 * sequence and the link that they arrive on.
 */
public final class FragmentCutter {
    private static final int MAX_SLICES = 3;

    private final FragmentFlyweight fragment = new FragmentFlyweight();
    private final long[] pieceAddresses = new long[MAX_SLICES];
    private final int[] pieceBytes = new int[MAX_SLICES];
    private final long[] sliceAddresses = new long[MAX_SLICES];
    private final int[] sliceBytes = new int[MAX_SLICES];
    private int nextNumber;

    // Of the frame that is being cut: what is left of it lies in the pieces.
    private long headerAddress;
    private int number;
    private int frameBytes;
    private int offset;
    private int leftBytes;
    private int rangeBytes;
    private int count;
    private int slices;
    private int fragmentBytes;

    /** Begins with that number, which should be another for each sender of the network. */
    public FragmentCutter(final int firstNumber) {
        nextNumber = firstNumber;
    }

    /**
     * Looks at a frame, and begins to cut it if it has to be.
     *
     * @param mtuBytes that the link takes.
     * @return fragments that it will be, or 1 if it is sent as it is; more than there are places if
     *     it cannot be cut.
     */
    public int begin(final OutgoingFrame frame, final int mtuBytes) {
        final int lengthBytes = frame.lengthBytes();
        final boolean isRange = frame.rangeLengthBytes() > 0;
        count = 0;
        if (lengthBytes <= mtuBytes && !isRange) {
            return 1;
        }
        final int maxBytes = mtuBytes - FrameHeaderFlyweight.LENGTH & -FragmentFlyweight.UNIT_BYTES;
        if (maxBytes <= 0 || lengthBytes > FragmentFlyweight.MAX_FRAME_BYTES) {
            return Integer.MAX_VALUE;
        }
        headerAddress = frame.headerAddress();
        setPieces(frame);
        if (FragmentFlyweight.isFragment(headerAddress)) {
            number = FragmentFlyweight.number(headerAddress);
            frameBytes = FragmentFlyweight.frameBytes(headerAddress);
            offset = FragmentFlyweight.offset(headerAddress);
            leftBytes = lengthBytes - FrameHeaderFlyweight.LENGTH;
            skip(FrameHeaderFlyweight.LENGTH);
        } else {
            number = isRange ? frame.rangeNumber() : nextNumber;
            frameBytes = lengthBytes;
            offset = isRange ? frame.rangeOffset() : 0;
            leftBytes = isRange ? frame.rangeLengthBytes() : lengthBytes;
            skip(offset);
        }
        final int fewest = (leftBytes + maxBytes - 1) / maxBytes;
        rangeBytes = (leftBytes + fewest - 1) / fewest + FragmentFlyweight.UNIT_BYTES - 1;
        rangeBytes &= -FragmentFlyweight.UNIT_BYTES;
        count = (leftBytes + rangeBytes - 1) / rangeBytes;
        return count;
    }

    /** True if the frame that {@link #begin} looked at has to be cut. */
    public boolean isCutting() {
        return count > 0;
    }

    /** Fragments that the frame will be; 0 if it is sent as it is. */
    public int count() {
        return count;
    }

    /** The frame is taken: the next one has another number. */
    public void take() {
        if (number == nextNumber) {
            nextNumber++;
        }
    }

    private void setPieces(final OutgoingFrame frame) {
        pieceAddresses[0] = frame.headerAddress();
        pieceBytes[0] = frame.headerLengthBytes();
        pieceAddresses[1] = frame.payloadAddress();
        pieceBytes[1] = frame.payloadLengthBytes();
        pieceAddresses[2] = frame.trailerAddress();
        pieceBytes[2] = frame.trailerLengthBytes();
    }

    private void skip(final int lengthBytes) {
        int rest = lengthBytes;
        for (int piece = 0; piece < MAX_SLICES && rest > 0; piece++) {
            final int skipped = Math.min(rest, pieceBytes[piece]);
            pieceAddresses[piece] += skipped;
            pieceBytes[piece] -= skipped;
            rest -= skipped;
        }
    }

    /**
     * Goes on to the next fragment: its slices can be asked for.
     *
     * @param toAddress where its header is written, 64 bytes.
     */
    public void next(final long toAddress) {
        final int lengthBytes = Math.min(rangeBytes, leftBytes);
        fragment.write(toAddress, headerAddress, number, frameBytes, offset, lengthBytes);
        slices = 0;
        int rest = lengthBytes;
        for (int piece = 0; piece < MAX_SLICES && rest > 0; piece++) {
            final int sliced = Math.min(rest, pieceBytes[piece]);
            if (sliced > 0) {
                sliceAddresses[slices] = pieceAddresses[piece];
                sliceBytes[slices++] = sliced;
                rest -= sliced;
            }
        }
        assert rest == 0 : "a range beyond its frame";
        skip(lengthBytes);
        offset += lengthBytes;
        leftBytes -= lengthBytes;
        fragmentBytes = FrameHeaderFlyweight.LENGTH + lengthBytes;
    }

    /** Bytes of header and body of the fragment. */
    public int fragmentBytes() {
        return fragmentBytes;
    }

    /** Slices of its body, 1 to 3. */
    public int slices() {
        return slices;
    }

    /** First byte of a slice. */
    public long sliceAddress(final int index) {
        return sliceAddresses[index];
    }

    /** Bytes of a slice. */
    public int sliceBytes(final int index) {
        return sliceBytes[index];
    }
}
