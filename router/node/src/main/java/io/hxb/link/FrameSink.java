package io.hxb.link;

/** Takes the frames that a link receives. Called by the loop that owns the link. */
@FunctionalInterface
public interface FrameSink {
    /**
     * Takes one frame that lies in a pool buffer, and the buffer, which is given back to {@code
     * share}, or kept and given back later by anybody. Nothing in the frame has been checked. A
     * sink for which it does not matter where frames lie need not implement this.
     *
     * @param link the link it arrived on.
     * @param share that of the loop that received it.
     * @param bufferId the buffer; the frame begins at {@link BufferPool#headerAddress}, with {@link
     *     Link#HEADROOM_BYTES} writable bytes before it.
     * @param lengthBytes as in {@link #onFrame}.
     * @param sourceAddress as in {@link #onFrame}.
     * @param vlanTci as in {@link #onFrame}.
     */
    default void onBuffer(
            final Link link,
            final BufferPool.Share share,
            final int bufferId,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        final long headerAddress = share.pool().headerAddress(bufferId);
        onFrame(link, share, bufferId, headerAddress, lengthBytes, sourceAddress, vlanTci);
    }

    /**
     * Takes one frame whose segments {@link #longFrames} has joined, as {@link #onBuffer} does. Its
     * first segment was counted when it arrived, see {@link #onFirstSegment}.
     */
    default void onJoined(
            final Link link,
            final BufferPool.Share share,
            final int bufferId,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        onBuffer(link, share, bufferId, lengthBytes, sourceAddress, vlanTci);
    }

    /** The first segment of a long frame has arrived, whether or not the others do. */
    default void onFirstSegment(final Link link, final long sourceAddress) {}

    /** Where pieces of long frames are joined; null if the sink takes only whole frames. */
    default LongFrameJoin longFrames() {
        return null;
    }

    /**
     * Takes one frame that lies elsewhere, and its memory, which is returned by {@code
     * owner.release(token)}, immediately or later. It is copied to be kept. Nothing in the frame
     * has been checked except that it has {@code lengthBytes} bytes.
     *
     * @param link the link it arrived on.
     * @param owner to whom the memory returns.
     * @param token the owner's name for the frame.
     * @param headerAddress address of the HXB header, 8-byte aligned, with {@link
     *     Link#HEADROOM_BYTES} writable bytes before it.
     * @param lengthBytes bytes of HXB header and body that are there, 0 or more; may exceed what
     *     the header claims (Ethernet pads short frames).
     * @param sourceAddress link address of the neighbour that sent it (see {@link Link#learn}).
     * @param vlanTci IEEE 802.1Q tag control information, or -1 for an untagged frame.
     */
    void onFrame(
            Link link,
            FrameOwner owner,
            long token,
            long headerAddress,
            int lengthBytes,
            long sourceAddress,
            int vlanTci);
}
